/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * The floor: a socket and a fetch request, and nothing that makes a client of them.
 */
package org.odradek.benchmarks.bare;
