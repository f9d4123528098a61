// SPDX-License-Identifier: Apache-2.0
/**
 * Runs Jazzer on the code that reads what a peer sends, and keeps the inputs that every build reads again. It knows the
 * targets of the other modules by name only.
 */
package org.odradek.harness.fuzz;
