// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "logitkit/core/token.hpp"
#include "read_file.hpp"

namespace examples {

/// A small Llama-2 transformer in the file format of llama2.c (for example stories260K.bin), with a cache of keys and
/// values. Written to be read: about a millisecond a token for 260K parameters.
class StoryModel {
 public:
  /// Throws std::runtime_error where the file cannot be read or does not hold what its header says.
  explicit StoryModel(const std::string& path);
  StoryModel(StoryModel&&) = default;  // no copies: the layers point into the weights

  std::size_t vocabulary_size() const { return vocabulary_; }
  std::size_t context_length() const { return context_; }

  /// Feeds `token` at the next position; returns the logits of the token that follows, valid until the next call.
  /// Throws std::out_of_range past context_length() or for an id outside the vocabulary. Cost grows with the position.
  std::span<const float> forward(logitkit::TokenId token);

  /// Forgets everything that was fed.
  void reset() { position_ = 0; }
  /// Forgets all but the first `position` tokens.
  void rewind(std::size_t position) { position_ = std::min(position_, position); }

 private:
  struct Layer {
    std::span<const float> attention_norm, wq, wk, wv, wo, feed_norm, gate, down, up;
    std::vector<float> keys, values;  // [context][kv_dim]
  };

  void attend(Layer& layer);
  void feed_forward(const Layer& layer);
  void rotate(std::span<float> heads) const;

  std::size_t dim_, hidden_, heads_, kv_heads_, vocabulary_, context_, head_size_, kv_dim_;
  std::vector<float> weights_;
  std::span<const float> embedding_, final_norm_, classifier_;
  std::vector<Layer> layers_;
  std::vector<float> x_, norm_, q_, mixed_, scores_, gate_, up_, delta_, logits_;
  std::size_t position_ = 0;
};

namespace detail {

inline float dot(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// out = matrix * in; the matrix is row-major with out.size() rows.
inline void multiply(std::span<const float> matrix, std::span<const float> in, std::span<float> out) {
  for (std::size_t row = 0; row < out.size(); ++row) out[row] = dot(matrix.subspan(row * in.size(), in.size()), in);
}

inline void add(std::span<const float> in, std::span<float> out) {
  for (std::size_t i = 0; i < in.size(); ++i) out[i] += in[i];
}

inline void rms_norm(std::span<const float> in, std::span<const float> gain, std::span<float> out) {
  const float scale = 1.0f / std::sqrt(dot(in, in) / static_cast<float>(in.size()) + 1e-5f);
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = gain[i] * in[i] * scale;
}

inline void softmax_in_place(std::span<float> x) {
  float largest = x[0], sum = 0;
  for (float value : x) largest = value > largest ? value : largest;
  for (float& value : x) sum += value = std::exp(value - largest);
  for (float& value : x) value /= sum;
}

}  // namespace detail

inline StoryModel::StoryModel(const std::string& path) {
  static_assert(std::endian::native == std::endian::little, "the file is little-endian");
  const std::vector<char> bytes = read_file(path);
  std::int32_t header[7];
  if (bytes.size() < sizeof header) throw std::runtime_error(path + " is too short for a model");
  std::memcpy(header, bytes.data(), sizeof header);
  const bool own_classifier = header[5] < 0;
  if (own_classifier) header[5] = -header[5];
  for (std::int32_t field : header)
    if (field < 1 || field > 1 << 20) throw std::runtime_error(path + " has no model header");
  const auto size = [&](int field) { return static_cast<std::size_t>(header[field]); };
  dim_ = size(0), hidden_ = size(1), layers_.resize(size(2)), heads_ = size(3), kv_heads_ = size(4);
  vocabulary_ = size(5), context_ = size(6);
  if (dim_ % (2 * heads_) != 0 || heads_ % kv_heads_ != 0) throw std::runtime_error(path + " has no model header");
  head_size_ = dim_ / heads_, kv_dim_ = head_size_ * kv_heads_;

  weights_.resize((bytes.size() - sizeof header) / sizeof(float));
  std::memcpy(weights_.data(), bytes.data() + sizeof header, weights_.size() * sizeof(float));
  std::span<const float> rest(weights_);
  const auto take = [&](std::size_t count) {
    if (count > rest.size()) throw std::runtime_error(path + " is shorter than its header says");
    return std::exchange(rest, rest.subspan(count)).first(count);
  };
  // All layers of one kind lie together.
  const auto take_all = [&](std::span<const float> Layer::*part, std::size_t count) {
    for (Layer& layer : layers_) layer.*part = take(count);
  };
  embedding_ = take(vocabulary_ * dim_);
  take_all(&Layer::attention_norm, dim_);
  take_all(&Layer::wq, dim_ * dim_);
  take_all(&Layer::wk, kv_dim_ * dim_);
  take_all(&Layer::wv, kv_dim_ * dim_);
  take_all(&Layer::wo, dim_ * dim_);
  take_all(&Layer::feed_norm, dim_);
  take_all(&Layer::gate, hidden_ * dim_);
  take_all(&Layer::down, dim_ * hidden_);
  take_all(&Layer::up, hidden_ * dim_);
  final_norm_ = take(dim_);
  take(context_ * head_size_);  // legacy tables of sines and cosines
  classifier_ = own_classifier ? take(vocabulary_ * dim_) : embedding_;

  for (Layer& layer : layers_) layer.keys.resize(context_ * kv_dim_), layer.values.resize(context_ * kv_dim_);
  for (auto* buffer : {&x_, &norm_, &q_, &mixed_, &delta_}) buffer->resize(dim_);
  gate_.resize(hidden_), up_.resize(hidden_), scores_.resize(context_), logits_.resize(vocabulary_);
}

inline std::span<const float> StoryModel::forward(logitkit::TokenId token) {
  if (position_ == context_) throw std::out_of_range("the model's context is full");
  if (token < 0 || static_cast<std::size_t>(token) >= vocabulary_) throw std::out_of_range("no such token");
  const auto row = embedding_.subspan(static_cast<std::size_t>(token) * dim_, dim_);
  x_.assign(row.begin(), row.end());
  for (Layer& layer : layers_) {
    attend(layer);
    feed_forward(layer);
  }
  ++position_;
  detail::rms_norm(x_, final_norm_, norm_);
  detail::multiply(classifier_, norm_, logits_);
  return logits_;
}

/// Turns neighbouring pairs of every head by an angle that grows with the position.
inline void StoryModel::rotate(std::span<float> heads) const {
  for (std::size_t i = 0; i < heads.size(); i += 2) {
    const auto exponent = static_cast<float>(i % head_size_) / static_cast<float>(head_size_);
    const float angle = static_cast<float>(position_) / std::pow(10000.0f, exponent);
    const float u = heads[i], w = heads[i + 1], c = std::cos(angle), s = std::sin(angle);
    heads[i] = u * c - w * s;
    heads[i + 1] = u * s + w * c;
  }
}

inline void StoryModel::attend(Layer& layer) {
  detail::rms_norm(x_, layer.attention_norm, norm_);
  const auto key = std::span(layer.keys).subspan(position_ * kv_dim_, kv_dim_);
  const auto value = std::span(layer.values).subspan(position_ * kv_dim_, kv_dim_);
  detail::multiply(layer.wq, norm_, q_);
  detail::multiply(layer.wk, norm_, key);
  detail::multiply(layer.wv, norm_, value);
  rotate(q_);
  rotate(key);

  const auto scores = std::span(scores_).first(position_ + 1);
  for (std::size_t head = 0; head < heads_; ++head) {
    const std::size_t offset = head / (heads_ / kv_heads_) * head_size_;  // several heads share keys and values
    const auto query = std::span(q_).subspan(head * head_size_, head_size_);
    const auto out = std::span(mixed_).subspan(head * head_size_, head_size_);
    for (std::size_t t = 0; t < scores.size(); ++t)
      scores[t] = detail::dot(query, std::span(layer.keys).subspan(t * kv_dim_ + offset, head_size_)) /
                  std::sqrt(static_cast<float>(head_size_));
    detail::softmax_in_place(scores);
    for (std::size_t i = 0; i < head_size_; ++i) {
      out[i] = 0;
      for (std::size_t t = 0; t < scores.size(); ++t) out[i] += scores[t] * layer.values[t * kv_dim_ + offset + i];
    }
  }
  detail::multiply(layer.wo, mixed_, delta_);
  detail::add(delta_, x_);
}

inline void StoryModel::feed_forward(const Layer& layer) {
  detail::rms_norm(x_, layer.feed_norm, norm_);
  detail::multiply(layer.gate, norm_, gate_);
  detail::multiply(layer.up, norm_, up_);
  for (std::size_t i = 0; i < hidden_; ++i) gate_[i] *= up_[i] / (1.0f + std::exp(-gate_[i]));
  detail::multiply(layer.down, gate_, delta_);
  detail::add(delta_, x_);
}

}  // namespace examples
