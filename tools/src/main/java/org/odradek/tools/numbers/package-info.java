// SPDX-License-Identifier: Apache-2.0

/**
 * What was measured, as tables for the terminal and for README, and the check that README says what was measured.
 */
package org.odradek.tools.numbers;
