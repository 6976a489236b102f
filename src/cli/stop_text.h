// Stop strings over streamed text: nothing that may become part of one is let out early.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quince::cli {

class StopText {
 public:
  explicit StopText(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  /// Takes more text and returns what is certain to precede any stop string.
  std::string push(std::string_view text);
  /// A stop string was met; what follows it is dropped.
  bool stopped() const { return stopped_; }
  /// What is still held back at the end.
  std::string finish();

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace quince::cli
