// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

/** The server's side of one TLS connection, as bytes in and bytes out. */
public interface ServerTls
{
    /** Handles bytes that the client has sent, however they are cut. What cannot be handled is ignored. */
    void receive(byte[] bytes);

    /** Encrypts bytes for the client. */
    void send(byte[] plaintext);

    /** Removes and returns the bytes that are on their way to the client. */
    byte[] takeOutput();

    /** Removes and returns what the client has sent, decrypted. */
    byte[] takePlaintext();
}
