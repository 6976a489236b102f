// A file mapped read-only into memory.
#include "io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "quince/error.h"

namespace quince::io {
namespace {

[[noreturn]] void fail(std::string_view action, int code, const std::string& doing) {
  const ErrorCode kind = code == ENOENT || code == ENOTDIR ? ErrorCode::not_found : ErrorCode::io;
  throw Error(kind, std::string(action) + ": " + std::generic_category().message(code), doing);
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, const std::string& doing) {
  if (path.find('\0') != std::string::npos) fail("cannot open the file", EINVAL, doing);
  // Non-blocking, since opening a pipe would otherwise wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.value() < 0) fail("cannot open the file", errno, doing);
  struct stat info{};
  if (::fstat(file.value(), &info) != 0) fail("cannot read the file", errno, doing);
  if (S_ISDIR(info.st_mode)) fail("cannot read the file", EISDIR, doing);
  if (!S_ISREG(info.st_mode)) throw Error(ErrorCode::io, "it is not a regular file", doing);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value(), 0);
  if (data == MAP_FAILED) fail("cannot map the file", errno, doing);
  return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + part.size()) / page * page;
  // Only a hint: a failure leaves the pages where they are.
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace quince::io
