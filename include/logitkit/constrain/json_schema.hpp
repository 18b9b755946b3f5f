// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "logitkit/constrain/json_schema/compiler.hpp"

LOGITKIT_NAMESPACE_BEGIN

/// How a schema is read, and what the constraint may take of memory.
struct SchemaOptions {
  /// Blanks between the tokens of the JSON text.
  Whitespace whitespace = Whitespace::flexible(1);
  /// What a schema without `additionalProperties` means: true, as the standard says, or false, as some engines read it.
  /// True is the default because a schema should mean here what it means to every validator. False closes only objects
  /// that declare properties.
  bool additional_properties = true;
  /// Ignore keywords that are not supported instead of refusing them; `Constraint::warnings()` lists them. Texts may
  /// then be invalid.
  bool lenient = false;
  /// See Constraint::memory.
  std::size_t memory_limit = kDefaultConstraintMemory;
};

/// JSON texts that are valid against a JSON Schema (draft 2020-12; also boolean exclusiveMinimum/Maximum and lists in
/// `items`).
///
///   offers   type enum const; minLength maxLength pattern format; minimum maximum exclusive... multipleOf; properties
///            required additionalProperties patternProperties propertyNames minProperties maxProperties; items
///            prefixItems minItems maxItems; anyOf allOf, oneOf whose branches exclude each other; $ref into the
///            document (recursion included); all of them combine
///   refuses  everything else that could make a text invalid, naming keyword and JSON pointer; schemas that nothing
///            satisfies; documents nested more than 512 deep. Unknown keywords and formats are ignored as the standard
///            says, and listed
///   keys     come in the order of `properties`, then other required ones, then further ones; declared keys have one
///            spelling and are never repeated. Keys that are not declared may repeat
///   values   enum and const have one spelling (the members of a const of up to three may be reordered); an integer is
///            digits only; a number with bounds or multipleOf has no exponent; formats as string_format.hpp says
///   never    is an invalid text allowed; some valid ones are refused, as said here
///
/// Throws ConstraintError. Compiling does not depend on the vocabulary, nor on maxLength.
inline Constraint compile_json_schema(const Vocabulary& vocabulary, std::string_view schema,
                                      const SchemaOptions& options = {}) {
  const detail::SchemaDocument document(schema);
  detail::SchemaCompiler compiler(document, options.whitespace, options.additional_properties, options.lenient);
  const std::uint32_t root = compiler.compile({&document.root()});
  return detail::make_constraint(vocabulary, compiler.grammar, root, "schema at #", options.memory_limit,
                                 compiler.warnings());
}

LOGITKIT_NAMESPACE_END
