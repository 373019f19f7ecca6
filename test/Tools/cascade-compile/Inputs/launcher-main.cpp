
// Appended to the launcher of launcher.mlir.
int main() {
  std::printf("workspace of 100 rows: %d\n", int(kept_workspace(100)));
  std::printf("workspace of 2 rows: %d\n", int(kept_workspace(2)));
  CUresult status = kept(0, 0, 100, 0, nullptr);
  if (!status)
    status = kept(0, 0, 2, 0, nullptr);
  if (!status)
    status = kept(2, 0, 100, 0, nullptr);
  if (!status)
    status = blocks(0, 0, 7, 5, 100, nullptr);
  if (!status)
    status = blocks(0, 0, 1, 3, 100, nullptr);
  if (!status)
    status = blocks(0, 0, 0, 3, 100, nullptr); // No rows, no launch.
  std::printf("status %d\n", status);
  return wide(0, 0, 1000, 0, nullptr);
}
