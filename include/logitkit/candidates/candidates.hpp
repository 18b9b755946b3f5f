// SPDX-License-Identifier: MIT
#pragma once
#include <span>

#include "logitkit/candidates/compact_list.hpp"
#include "logitkit/candidates/whole_row.hpp"
#include "logitkit/core/error.hpp"
#include "logitkit/numeric/scalar_math.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// Which candidates stay when several equal the k-th.
enum class Ties : std::uint8_t {
  exact,  ///< exactly k: lower ids first
  keep,   ///< all of them (Hugging Face, vLLM)
};

/// The order that steps leave the candidates in, as an engine that sorts and cuts an array would.
enum class Order : std::uint8_t {
  by_id,     ///< as they came
  by_logit,  ///< logit descending, then id
  listed,    ///< as a step left them, by values that may have changed since
};

/// The tokens still in the running and their logits: what a step works on. It starts as the whole row, borrowed and
/// never written, and becomes a short list at the first truncation; steps need not know which.
///
/// Order: logit descending, then id ascending, on the values as they stand. A removed candidate reads as -inf and does
/// not come back, except through materialize(). Callbacks must not change the set they walk.
class Candidates {
 public:
  /// Ids are below this: the row's width, or the vocabulary's size where that is smaller.
  std::size_t size() const { return row_.size(); }

  /// How many candidates there are. Cost on a whole row: one reading, none after normaliser().
  std::size_t survivors() {
    if (is_compact_) return list_.size();
    return sum_is_known_ ? survivors_of_sum_ : row_.count(detail::kLowest);
  }

  /// The logit of an id, -inf if it is no candidate.
  float logit(TokenId id) const {
    if (!in_range(id)) return detail::kMasked;
    const auto i = static_cast<std::uint32_t>(id);
    return is_compact_ ? list_.value(i) : row_.value(i);
  }

  /// Gives a candidate another logit; -inf removes it. False, and nothing happens, if `id` is no candidate. NaN and
  /// +inf fail the step with `overflow`, an id outside the row with `id_out_of_range`.
  bool set(TokenId id, float x) {
    if (!in_width(id)) return fail(Status::id_out_of_range, id), false;
    return change(id, [x](float) { return x; });
  }
  /// Adds to a candidate's logit; otherwise as set().
  bool add(TokenId id, float x) {
    if (!in_width(id)) return fail(Status::id_out_of_range, id), false;
    return change(id, [x](float now) { return now + x; });
  }
  /// Replaces a candidate's logit x by f(x). False if `id` is no candidate or outside the row.
  template <class F>
  bool change(TokenId id, F f);
  /// Changes the logits of distinct ids by f(x, counts, n), a function of n logits and the counts beside them, in
  /// place. Ids that are no candidates, or whose count is 0, must come out as they went in. The same ids again are
  /// cheaper.
  template <class F>
  void change_counted(std::span<const TokenId> ids, std::span<const std::uint32_t> counts, F f);
  /// Takes a candidate out. False if `id` is none.
  bool remove(TokenId id) { return set(id, detail::kMasked); }
  /// Takes candidates out; an id outside the row fails the step with `id_out_of_range`.
  void remove(std::span<const TokenId> ids);

  /// Calls f(id, logit) for every candidate in id order.
  template <class F>
  void for_each(F f) const {
    const auto call = [&f](std::uint32_t id, float x) { f(static_cast<TokenId>(id), x); };
    if (!is_compact_) return row_.for_each(call);
    for (std::size_t i = 0; i < list_.size(); ++i) call(list_.ids()[i], list_.values()[i]);
  }

  /// Keeps the candidates for which keep(id, logit) holds.
  template <class Keep>
  void keep_if(Keep keep) {
    const auto call = [&keep](std::uint32_t id, float x) { return keep(static_cast<TokenId>(id), x); };
    changed();
    if (is_compact_) return list_.filter(call);
    if (row_.filter(call, few()) <= few()) become_list();
  }

  /// The largest logit, -inf if there is no candidate.
  float max() { return is_compact_ ? list_.max() : row_.max(); }
  bool empty() { return is_compact_ ? list_.size() == 0 : !(row_.max() > detail::kMasked); }

  /// The candidates as a plain array of size() floats, -inf = removed. What is written there stands when the step
  /// returns: the candidates are then exactly the finite entries; NaN or +inf fails the step. The one operation that
  /// writes V floats; call the others again only after the step has returned.
  std::span<float> materialize() {
    std::vector<float>& array = workspace_->array;
    if (!is_array()) {
      array.resize(size());
      write_to(array);
    }
    array_is_open_ = true;
    return {array.data(), size()};
  }

  /// Writes all logits, -inf for removed ids; `out` holds size() floats.
  void write_to(std::span<float> out) const {
    if (is_compact_) {
      std::fill(out.begin(), out.end(), detail::kMasked);
      for (std::size_t i = 0; i < list_.size(); ++i) out[list_.ids()[i]] = list_.values()[i];
      return;
    }
    detail::for_blocks(size(), [&](std::size_t first, std::size_t n) {
      float* to = out.data() + first;
      const float* x = row_.block(first, n, to);
      if (x != to) std::copy(x, x + n, to);
    });
  }

  // What built-in steps are made of; custom steps may use it too.

  /// Divides every logit: a true float32 division. A logit that becomes +inf fails the step with `overflow`.
  void divide(float divisor);

  /// Replaces every logit by x - ln(sum of exp): in double, rounded once.
  void normalise();

  /// Keeps the k first of the total order; `Ties::keep`: and all that equal the k-th.
  void keep_top(std::size_t k, Ties ties = Ties::exact);
  /// Keeps logits >= threshold, and the `min_keep` first of the total order in any case; `Ties::keep`: and all that
  /// equal the last of these.
  void keep_at_least(double threshold, std::size_t min_keep = 1, Ties ties = Ties::exact);
  /// Keeps a candidate iff the mass ranked before it is < p of the whole (at least `min_keep`).
  void keep_mass(double p, std::size_t min_keep = 1);

  /// Keeps a candidate iff less than p of the mass comes before it in order of the distance from log_sum_exp() -
  /// entropy() (at least `min_keep`); `Ties::keep`: and all at the distance of the last.
  void keep_typical(double p, std::size_t min_keep = 1, Ties ties = Ties::exact);

  /// Keeps the ids whose bit (id % 32 of word id / 32) is 1; what lies past the words is removed. `words` stay borrowed
  /// until the step's pick is done.
  void allow(std::span<const std::int32_t> words);

  /// The candidates become exactly these ids, all with this logit (not +inf or NaN; -inf leaves none), whether they
  /// were in or not. An id outside the row fails the step with `id_out_of_range`.
  void assign(std::span<const TokenId> ids, float logit);
  /// Keeps one id, its logit unchanged; none if it is no candidate.
  void keep_only(TokenId id);

  /// The k first of the total order as rank keys (numeric/order.hpp), or all if they are fewer. Valid until the next
  /// call of anything else.
  std::span<const std::uint64_t> ranked(std::size_t k);

  /// Sum of f(x, e) over the candidates in double, e = exp(x - max) as the normaliser has it: one partial sum per lane
  /// id mod 16, each in id order, then a tree 8-4-2-1. A function of the set only.
  template <class F>
  double sum(F f);
  /// - sum of p ln p, in nats; what underflows adds nothing.
  double entropy();

  /// What the last step that sorts left.
  Order order() const { return order_; }
  void set_order(Order order) { order_ = order; }
  /// Calls f(id, logit) for every candidate in order() until it returns false.
  template <class F>
  void walk(F f);

  /// The sum of exp(x - max) by the fixed order. Kept until the candidates change.
  double normaliser() {
    if (!sum_is_known_) {
      max_of_sum_ = max();
      if (is_compact_) {
        sum_ = list_.sum(max_of_sum_);
      } else {
        const detail::WholeRow::Sum sum = row_.sum(max_of_sum_);
        sum_ = sum.total;
        survivors_of_sum_ = sum.count;
      }
      sum_is_known_ = true;
    }
    return sum_;
  }
  double log_sum_exp() {
    const double sum = normaliser();
    return static_cast<double>(max_of_sum_) + detail::math::log(sum);
  }

  /// The first of the total order.
  TokenId best();
  /// The candidate in whose share of [0, 1) u falls: first the block whose running total exceeds u * normaliser(), in
  /// it the first id, in id order, whose running sum in double does.
  TokenId draw(double u);
  /// Number of candidates that rank before this one, plus 1; a removed one ranks after all.
  std::size_t rank(TokenId id);

  /// Calls f(id, probability) in id order for every candidate whose exp does not underflow (87 below the best).
  template <class F>
  void for_each_probability(F f);
  /// exp(logit) / sum of exp, 0 for an id that is no candidate.
  double probability(TokenId id);
  /// Gives every candidate the logit that it has in `row`, the row that the candidates come from.
  void restore(LogitsView row);

  /// Fails the step; the lowest id of the step's first kind of failure is the one reported.
  void fail(Status status, TokenId id) {
    if (status_ == Status::ok) {
      status_ = status;
      id_ = id;
    } else if (status == status_ && id < id_) {
      id_ = id;
    }
  }
  Status status() const { return status_; }
  TokenId failed_id() const { return id_; }

  /// The array operations of the instruction set in force.
  const detail::Kernels& kernels() const { return *kernels_; }

  // The pipeline's side.

  /// Starts with a whole row; `width` is the row's full width, of which the first size() ids are looked at.
  Status open(Workspace& workspace, LogitsView row, std::size_t vocabulary_size) {
    start(workspace, row.size());
    is_compact_ = false;
    changed();
    return look_at(vocabulary_size == 0 ? row : row.first(vocabulary_size), Status::invalid_logits);
  }

  /// Starts with a whole row that allow() will read in the pass in which it looks at the mask; nothing else may be
  /// asked for before.
  void open_for_mask(Workspace& workspace, LogitsView row, std::size_t vocabulary_size) {
    start(workspace, row.size());
    is_compact_ = false;
    changed();
    row_.take(*kernels_, workspace, vocabulary_size == 0 ? row : row.first(vocabulary_size));
    is_unread_ = true;
  }
  bool is_unread() const { return is_unread_; }
  /// Reads the row if nothing has. How it is: ok, `invalid_logits` or `no_candidates`.
  Status look() {
    if (is_unread_) heed(row_.read());
    return row_status_;
  }

  /// Starts with a list instead, as detail::listed_key: ids ascending, below the vocabulary's size (0: `width`), logits
  /// finite.
  void open_list(Workspace& workspace, std::size_t width, std::size_t vocabulary_size,
                 std::span<const std::uint64_t> list) {
    start(workspace, width);
    row_.open_nothing(vocabulary_size == 0 ? width : std::min(width, vocabulary_size));
    workspace_->ids.clear();
    workspace_->values.clear();
    for (const std::uint64_t key : list) {
      workspace_->ids.push_back(detail::listed_id(key));
      workspace_->values.push_back(detail::listed_value(key));
    }
    become_list();
  }

  /// Ends a step: an array that was handed out becomes the row.
  void settle() {
    if (!array_is_open_) return;
    array_is_open_ = is_compact_ = false;
    order_ = Order::by_id;
    workspace_->invalid.clear();
    changed();
    look_at({workspace_->array.data(), size()}, Status::overflow);
  }

  /// Lets a row with NaN or +inf in: they read as 0 until a step looks at invalid(). Writes V floats.
  bool set_invalid_aside();
  /// The row's NaN and +inf that no step has dealt with yet, in id order; some may have been removed since.
  std::span<const std::pair<TokenId, float>> invalid() const { return workspace_->invalid; }
  void forget_invalid() { workspace_->invalid.clear(); }

  /// Whether walk() will be asked for, so that orders have to be kept where values change.
  void keep_order(bool yes) { keeps_order_ = yes; }

  std::size_t width() const { return width_; }
  bool is_compact() const { return is_compact_; }
  /// The compact list's ids, ascending, and logits.
  std::span<const std::uint32_t> ids() const { return list_.ids(); }
  std::span<const float> values() const { return list_.values(); }

 private:
  /// A list of so many candidates is worth having; above it, the row stays and a prefix is told by its last member.
  std::size_t few() const { return std::max<std::size_t>(size() / 16, 64); }
  void start(Workspace& workspace, std::size_t width) {
    kernels_ = &detail::kernels();
    workspace_ = &workspace;
    width_ = width;
    array_is_open_ = false;
    order_ = Order::by_id;
    workspace_->invalid.clear();
    status_ = row_status_ = Status::ok;
    id_ = kNoToken;
    is_unread_ = false;
  }
  bool in_width(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < width_; }
  bool in_range(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < size(); }

  Status look_at(LogitsView row, Status if_invalid) {
    if (row_.open(*kernels_, *workspace_, row).invalid) fail(if_invalid, first_invalid());
    return status_;
  }
  TokenId first_invalid() const { return static_cast<TokenId>(detail::first_invalid(row_.row())); }
  /// What the first reading of the row tells comes before what the first step says.
  void heed(const detail::Scan& scanned) {
    is_unread_ = false;
    if (!detail::is_unusable(scanned)) return;
    row_status_ = status_ = scanned.invalid ? Status::invalid_logits : Status::no_candidates;
    id_ = scanned.invalid ? first_invalid() : kNoToken;
  }
  void become_list() {
    list_.adopt(*kernels_, *workspace_);
    is_compact_ = true;
    changed();
  }
  /// A new logit; NaN and +inf fail the step.
  float checked(TokenId id, float x) {
    if (detail::is_invalid(x)) fail(Status::overflow, id);
    return x;
  }
  bool is_array() const { return !is_compact_ && row_.is_plain_array(workspace_->array.data()); }
  void make_room_for_pointwise() {
    if (!row_.pointwise().full()) return;
    materialize();
    array_is_open_ = false;
    row_.open(*kernels_, *workspace_, {workspace_->array.data(), size()});
  }
  void changed() { sum_is_known_ = false; }
  /// Before single logits get other values.
  void will_change() {
    changed();
    if (keeps_order_) list_order();
  }
  void list_order();
  void become_these(std::span<const TokenId> ids, float logit);

  bool gather_few(float least);
  float kth_of_row(std::size_t k, float reached);
  template <class ValueOf>
  std::size_t mass_prefix(std::span<const std::uint64_t> ranked, double target, std::size_t min_keep,
                          ValueOf value_of) const;
  std::span<std::uint64_t> ranked_list();
  bool keep_mass_of_list(double target, std::size_t min_keep, bool is_all);
  bool keep_mass_of_ties(double p, std::size_t min_keep);
  void keep_mass_of_row(double p, std::size_t min_keep);
  bool keep_mass_of_long_list(double p, std::size_t min_keep);
  bool keep_mass_but_tail(double p);
  bool keep_mass_packed(double p, std::size_t min_keep, float least_exp, detail::ExpInterval guess);
  std::uint32_t packed_id(std::uint32_t position) const;
  /// What a search for a mass found: the last that stays, and how many do. `doubtful` exps from `low` on were looked at
  /// one by one, their positions are in the workspace.
  struct MassCut {
    std::uint64_t last = 0;
    std::size_t kept = 0, doubtful = 0;
    float low = 0;
  };
  /// The mass that has to come before the cut, and by how much that may be off.
  struct Target {
    double mass, doubt = 0;
  };
  template <class KeyOf>
  MassCut find_cut(std::span<const float> exps, float least, detail::ExpInterval guess, Target wanted,
                   std::size_t min_keep, KeyOf key_of);
  void keep_row_to(std::uint64_t last, std::size_t kept);

  const detail::Kernels* kernels_ = nullptr;
  Workspace* workspace_ = nullptr;
  detail::WholeRow row_;
  detail::CompactList list_;
  std::size_t width_ = 0;
  bool is_unread_ = false, is_compact_ = false, array_is_open_ = false, sum_is_known_ = false, keeps_order_ = false;
  Order order_ = Order::by_id;
  float max_of_sum_ = 0;
  double sum_ = 0;
  std::size_t survivors_of_sum_ = 0;
  Status status_ = Status::ok, row_status_ = Status::ok;
  TokenId id_ = kNoToken;
};

LOGITKIT_NAMESPACE_END

#include "logitkit/candidates/change.ipp"
#include "logitkit/candidates/choose.ipp"
#include "logitkit/candidates/measure.ipp"
#include "logitkit/candidates/nucleus.ipp"
#include "logitkit/candidates/order.ipp"
#include "logitkit/candidates/truncate.ipp"
