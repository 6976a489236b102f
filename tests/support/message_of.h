// The message of the Error that something throws.
#pragma once

#include <string>

#include "quince/error.h"

namespace quince::test {

/// what() of the Error, or "no error".
template <class F>
std::string message_of(F action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace quince::test
