// SPDX-License-Identifier: Apache-2.0

/**
 * The floor: a socket and a fetch request, and nothing that makes a client of them.
 */
package org.odradek.benchmarks.bare;
