// Stop strings over streamed text.
#include "cli/stop_text.h"

#include <algorithm>

namespace quince::cli {

std::string StopText::push(std::string_view text) {
  if (stopped_) return {};
  held_ += text;
  std::size_t end = std::string::npos;
  for (const std::string& stop : stops_) end = std::min(end, held_.find(stop));
  if (end != std::string::npos) {
    stopped_ = true;
    std::string out = held_.substr(0, end);
    held_.clear();
    return out;
  }
  std::size_t keep = 0;  // the longest tail that begins some stop string
  for (const std::string& stop : stops_) {
    for (std::size_t n = std::min(stop.size() - 1, held_.size()); n > keep; --n) {
      if (held_.ends_with(std::string_view(stop).substr(0, n))) keep = n;
    }
  }
  std::string out = held_.substr(0, held_.size() - keep);
  held_.erase(0, held_.size() - keep);
  return out;
}

std::string StopText::finish() {
  std::string out = std::move(held_);
  held_.clear();
  return out;
}

}  // namespace quince::cli
