// SPDX-License-Identifier: Apache-2.0

/**
 * The pages of the repository as a site of static files.
 */
package org.odradek.tools.site;
