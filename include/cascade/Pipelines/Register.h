//===- Register.h - The dialects and passes of the tools ------*- C++ -*-===//

#ifndef CASCADE_PIPELINES_REGISTER_H
#define CASCADE_PIPELINES_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace cascade {

/// Adds every dialect that the tools read and registers every pass and
/// pipeline of this project, beside the upstream ones it builds on.
void registerEverything(mlir::DialectRegistry &registry);

/// Adds the dialects alone, for a tool that runs fixed pipelines.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace cascade

#endif // CASCADE_PIPELINES_REGISTER_H
