/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * What was measured, as tables for the terminal and for README, and the check that README says what was measured.
 */
package org.odradek.tools.numbers;
