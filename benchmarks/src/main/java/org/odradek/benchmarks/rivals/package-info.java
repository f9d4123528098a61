// SPDX-License-Identifier: Apache-2.0

/**
 * Rivals that are no JVM: how their programs come about on a machine that has none of them yet, and how they are talked
 * to. {@code LibrdkafkaBuild} fetches the library and compiles our small program against it, {@code NativeClient} runs
 * it. Knows no scenario.
 */
package org.odradek.benchmarks.rivals;
