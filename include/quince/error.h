// The one error type of quince: a code, a message that names the thing at fault, and what was being done.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace quince {

/// What kind of mistake an Error reports. `internal` is a bug in quince; every other code is the user's to fix.
enum class ErrorCode {
  invalid_argument,  ///< a value that can never be right
  dtype_mismatch,    ///< operands of the wrong or of different dtypes
  shape_mismatch,    ///< operands whose shapes do not fit
  out_of_range,      ///< an index, id, dim or option outside its range
  overflow,          ///< an i64 computation that does not fit
  parse,             ///< text that does not follow its grammar
  format,            ///< a file whose content contradicts its format
  io,                ///< the operating system refused a file operation
  not_found,         ///< a file, tensor, key or name that does not exist
  unsupported,       ///< valid, but nothing quince can do
  resource,          ///< memory or another resource that cannot be had
  interrupted,       ///< stopped by the user
  internal,          ///< a bug in quince
};

/// The stable name of a code, as printed in JSON.
constexpr std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::dtype_mismatch: return "dtype_mismatch";
    case ErrorCode::shape_mismatch: return "shape_mismatch";
    case ErrorCode::out_of_range: return "out_of_range";
    case ErrorCode::overflow: return "overflow";
    case ErrorCode::parse: return "parse";
    case ErrorCode::format: return "format";
    case ErrorCode::io: return "io";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::resource: return "resource";
    case ErrorCode::interrupted: return "interrupted";
    case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

/// Thrown for every mistake of a user. `what()` is "<doing>: <message>", or the message alone.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message, std::string doing = {})
      : std::runtime_error(doing.empty() ? message : doing + ": " + message),
        code_(code),
        message_(std::move(message)),
        doing_(std::move(doing)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  /// What quince was doing, e.g. "reading model.gguf"; may be empty.
  const std::string& doing() const { return doing_; }

  /// The same error with an outer context put in front.
  Error within(std::string_view outer) const {
    return {code_, message_, doing_.empty() ? std::string(outer) : std::string(outer) + ": " + doing_};
  }

 private:
  ErrorCode code_;
  std::string message_;
  std::string doing_;
};

}  // namespace quince
