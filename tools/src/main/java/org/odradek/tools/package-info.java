/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Every odradek command.
 */
package org.odradek.tools;
