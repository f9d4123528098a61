// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A connection on which one request is read and one response is sent. No call waits. The body of a request is not read.
 */
final class HttpConnection implements AutoCloseable
{
    private static final int MAX_HEAD_LENGTH = 8 * 1024;
    private static final String HEAD_END = "\r\n\r\n";

    private final SocketChannel channel;
    private final ByteBuffer head = ByteBuffer.allocate(MAX_HEAD_LENGTH);
    /** How many bytes of the head's end were received last. */
    private int matched;
    private String[] lines = {};
    private ByteBuffer response;
    private long deadlineNs;

    HttpConnection(final SocketChannel channel)
    {
        this.channel = channel;
    }

    /** When the connection is to be closed unless it has come further. */
    long deadlineNs()
    {
        return deadlineNs;
    }

    void deadlineNs(final long newDeadlineNs)
    {
        deadlineNs = newDeadlineNs;
    }

    /**
     * Reads what has arrived.
     *
     * @return true if a response is due, because the head of the request is complete or too long.
     * @throws EOFException if the client has ended the request before.
     */
    boolean receive() throws IOException
    {
        int index = head.position();
        if (channel.read(head) < 0)
        {
            throw new EOFException();
        }
        for (; index < head.position(); index++)
        {
            final byte next = head.get(index);
            matched = next == HEAD_END.charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
            if (matched == HEAD_END.length())
            {
                lines = new String(head.array(), 0, index, StandardCharsets.ISO_8859_1).split("\r\n");
                return true;
            }
        }
        return !head.hasRemaining();
    }

    /** Returns false if the head of the request is too long. */
    boolean hasRequest()
    {
        return lines.length > 0;
    }

    /** The method, such as GET; empty if this is no request of HTTP. */
    String method()
    {
        final String[] words = words();
        return words.length == 3 && words[2].matches("HTTP/1\\.\\d") ? words[0] : "";
    }

    private String[] words()
    {
        return lines.length == 0 ? lines : lines[0].split(" ");
    }

    /** The path of a request that has a method, or what is there in its place. */
    String path()
    {
        final String target = words()[1];
        try
        {
            return String.valueOf(URI.create(target).getPath());
        }
        catch (final IllegalArgumentException ex)
        {
            return target;
        }
    }

    /** The value of the first header of this name; null if there is none. */
    String header(final String name)
    {
        final String start = name + ":";
        for (final String line : lines)
        {
            if (line.regionMatches(true, 0, start, 0, start.length()))
            {
                return line.substring(start.length()).strip();
            }
        }
        return null;
    }

    /**
     * Prepares the response, which {@link #send} sends. There is no body if the method is HEAD.
     *
     * @param status      such as {@code 200 OK}.
     * @param contentType of the body.
     */
    void respond(final String status, final String contentType, final byte[] body)
    {
        final byte[] start = ("HTTP/1.1 " + status + "\r\nContent-Type: " + contentType + "\r\nContent-Length: " +
            body.length + "\r\nAllow: GET, HEAD\r\nConnection: close" + HEAD_END).getBytes(StandardCharsets.ISO_8859_1);
        final boolean hasBody = !"HEAD".equals(method());
        response = ByteBuffer.allocate(start.length + (hasBody ? body.length : 0)).put(start);
        response.put(body, 0, response.remaining()).flip();
    }

    /** Whether {@link #respond} was called. */
    boolean hasResponse()
    {
        return response != null;
    }

    /**
     * Sends as much of the response as fits into the buffers of the socket.
     *
     * @return true if all of it was sent.
     */
    boolean send() throws IOException
    {
        channel.write(response);
        return !response.hasRemaining();
    }

    @Override
    public void close() throws IOException
    {
        channel.close();
    }
}
