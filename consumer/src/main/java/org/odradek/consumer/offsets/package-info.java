/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Offsets in a mapped file of one's own. Knows nothing of the rest of the consumer.
 */
package org.odradek.consumer.offsets;
