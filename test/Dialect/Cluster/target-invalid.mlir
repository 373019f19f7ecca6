// RUN: cascade-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{target 'lab' has no 'sms'; give every field, or put base = "h200" behind the name to take the others from there}}
module attributes {cluster.target = #cluster.target<name = "lab", max_cluster = 8>} {}

// -----

// expected-error @below {{a target has no field 'cores'; docs/Dialects/Cluster.md lists the fields}}
module attributes {cluster.target = #cluster.target<name = "h200", cores = 3>} {}

// -----

// expected-error @below {{there is no preset 'a100'; use h200 or h100}}
module attributes {cluster.target = #cluster.target<name = "x", base = "a100">} {}

// -----

// expected-error @below {{'base' goes before the fields}}
module attributes {cluster.target = #cluster.target<name = "x", sms = 3, base = "h100">} {}

// -----

// expected-error @below {{'sms' is there twice}}
module attributes {cluster.target = #cluster.target<name = "h200", sms = 3, sms = 4>} {}

// -----

// expected-error @below {{'sms' of target 'h200' is 0; it must be positive}}
module attributes {cluster.target = #cluster.target<name = "h200", sms = 0>} {}

// -----

// expected-error @below {{target 'h200' needs 1 <= portable_cluster <= max_cluster <= 16}}
module attributes {cluster.target = #cluster.target<name = "h200", max_cluster = 32>} {}

// -----

// expected-error @below {{'tree_cycles' of target 'h200' needs 4 positive entries, one for each power of two from 2 up to max_cluster}}
module attributes {cluster.target = #cluster.target<name = "h200", tree_cycles = [1, 2]>} {}

// -----

// expected-error @below {{'tree_cycles' has 5 entries; there are at most 4, one for each power of two up to 16 blocks}}
module attributes {cluster.target = #cluster.target<name = "h200", tree_cycles = [1, 2, 3, 4, 5]>} {}

// -----

// expected-error @below {{a target needs a name}}
module attributes {cluster.target = #cluster.target<name = "", base = "h200">} {}

// -----

// expected-error @below {{'cluster.target' must be a #cluster.target<...>}}
module attributes {cluster.target = "h200"} {}

// -----

func.func @f() {
  // expected-error @below {{'cluster.target' belongs on a module or a function}}
  %c = arith.constant {cluster.target = #cluster.target<name = "h200">} 1 : i32
  return
}
