// SPDX-License-Identifier: Apache-2.0

/**
 * Small programs, each of which shows one feature.
 */
package org.odradek.examples;
