// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "logitkit/core/logits.hpp"
#include "read_file.hpp"

namespace examples {

/// Rows of logits out of a file, kept in memory.
struct RowFile {
  std::vector<char> bytes;
  std::size_t offset = 0, rows = 0, width = 0;
  logitkit::Dtype dtype = logitkit::Dtype::float32;

  logitkit::LogitsView operator[](std::size_t i) const {
    const std::size_t size = dtype == logitkit::Dtype::float32 ? 4 : 2;
    return {bytes.data() + offset + i * width * size, width, dtype};
  }
};

namespace detail {

/// What follows 'key': in the header of a .npy file, up to `end`.
inline std::string npy_value(const std::string& header, const std::string& key, const std::string& end) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == header.npos) throw std::runtime_error("its header has no '" + key + "'; save it again with numpy.save");
  const std::size_t from = header.find_first_not_of(' ', at + key.size() + 3);
  return header.substr(from, header.find_first_of(end, from) - from);
}

inline void read_npy(RowFile& file) {
  const auto byte = [&file](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(file.bytes[i]));
  };
  const bool is_long = file.bytes[6] != 1;  // versions 2 and 3 have four bytes for the header's length
  const std::size_t start = is_long ? 12 : 10;
  if (file.bytes.size() < start) throw std::runtime_error("it ends inside its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (is_long) length |= byte(10) << 16 | byte(11) << 24;
  file.offset = start + length;
  if (file.bytes.size() < file.offset) throw std::runtime_error("it ends inside its header");
  const std::string header(file.bytes.data() + start, length);

  const std::string type = npy_value(header, "descr", ",}");
  if (type != "'<f4'" && type != "'<f2'")
    throw std::runtime_error("its type is " + type + ", needed is '<f4' or '<f2'; save it with .astype('<f4')");
  file.dtype = type == "'<f4'" ? logitkit::Dtype::float32 : logitkit::Dtype::float16;
  if (npy_value(header, "fortran_order", ",}") != "False")
    throw std::runtime_error("it is in Fortran order; save numpy.ascontiguousarray of it");
  const std::string shape = npy_value(header, "shape", ")") + ")";
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] >= '0' && shape[i] <= '9') {
      sizes.push_back(std::stoull(shape.substr(i)));
      while (shape[i] >= '0' && shape[i] <= '9') ++i;
    }
  if (sizes.empty() || sizes.size() > 2)
    throw std::runtime_error("its shape is " + shape + ", needed is (vocabulary,) or (rows, vocabulary)");
  file.rows = sizes.size() == 1 ? 1 : sizes[0];
  file.width = sizes.back();
}

}  // namespace detail

/// Reads rows from bytes: a .npy file by its first bytes (float32 or float16, little-endian, C order, 1-D or 2-D), else
/// raw little-endian float32 with `width` logits a row. Throws std::runtime_error with what to change.
inline RowFile parse_rows(std::vector<char> bytes, std::size_t width) {
  RowFile file{.bytes = std::move(bytes)};
  if (file.bytes.size() > 8 && std::string_view(file.bytes.data(), 6) == "\x93NUMPY") {
    detail::read_npy(file);
  } else {
    if (width == 0) throw std::runtime_error("it is no .npy file; for raw float32 give --width, the logits of one row");
    file.width = width;
    file.rows = file.bytes.size() / 4 / width;
    if (file.rows * width * 4 != file.bytes.size())
      throw std::runtime_error("it has " + std::to_string(file.bytes.size()) + " bytes, no multiple of --width " +
                               std::to_string(width) + " times 4");
  }
  const std::size_t size = file.dtype == logitkit::Dtype::float32 ? 4 : 2;
  if (file.rows == 0 || file.width == 0) throw std::runtime_error("it holds no rows");
  if (file.bytes.size() - file.offset < file.rows * file.width * size)
    throw std::runtime_error("it is cut off: " + std::to_string(file.rows) + " rows of " + std::to_string(file.width) +
                             " need " + std::to_string(file.rows * file.width * size) + " bytes, it has " +
                             std::to_string(file.bytes.size() - file.offset));
  return file;
}

}  // namespace examples
