// Property tests run with one seed, so that a failure is seen by everyone; RC_PARAMS overrides it.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kConfigured = setenv("RC_PARAMS", "seed=15 max_success=1500 max_size=120", 0);

}  // namespace
