// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

/**
 * What the run does to itself, to show that its verdict would find it: from the given delivery on, the first record is
 * not told to the ledger, ever, or told twice.
 */
enum Sabotage
{
    /** Nothing. */
    NONE,
    /** One record is dropped. */
    DROP,
    /** One record is repeated. */
    REPEAT
}
