// SPDX-License-Identifier: Apache-2.0

/**
 * A project to copy. It replays captured frames through a handler in a JMH benchmark, with the profiler "gc" and, by
 * one flag, with flame graphs. Its unit test asserts that the handler allocates nothing.
 */
package org.odradek.examples.profile;
