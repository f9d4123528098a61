// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.SystemUtil;
import org.odradek.client.files.WrittenFile;
import org.odradek.consumer.core.ConsumerSettings;

/**
 * The system properties that set the defaults of a {@link ConsumerContext}, and the defaults without these properties.
 * A size is in bytes and may end in k, m or g.
 */
public final class ConsumerConfiguration
{
    /** The default is 16 MiB: the bytes that arrive during a round trip of 20 ms at 800 MB/s. */
    public static final int FETCH_MAX_BYTES_DEFAULT = 16 * 1024 * 1024;
    public static final String FETCH_MAX_BYTES_PROP_NAME = "org.odradek.consumer.fetch.max.bytes";

    public static final int FETCH_MIN_BYTES_DEFAULT = 1;
    public static final String FETCH_MIN_BYTES_PROP_NAME = "org.odradek.consumer.fetch.min.bytes";

    public static final int FETCH_MAX_WAIT_MS_DEFAULT = 500;
    public static final String FETCH_MAX_WAIT_MS_PROP_NAME = "org.odradek.consumer.fetch.max.wait.ms";

    /** The default is 64 MiB: brokers accept batches of 1 MiB by default, but a topic may have a higher limit. */
    public static final int RECEIVE_BUFFER_MAX_LENGTH_DEFAULT = 64 * 1024 * 1024;
    public static final String RECEIVE_BUFFER_MAX_LENGTH_PROP_NAME = "org.odradek.consumer.receive.buffer.max.length";

    /** The default transport; the property may be auto, nio or epoll. */
    public static final String TRANSPORT_DEFAULT = "auto";
    public static final String TRANSPORT_PROP_NAME = ConsumerSettings.TRANSPORT_PROP_NAME;

    /**
     * The permissions of the files that the library creates: counters files, captures and offset files. With {@code
     * rw-------}, the default, only the owner of a file may read it; with {@code rw-r-----} its group may read it, too,
     * and with {@code rw-r--r--} all users may.
     */
    public static final String FILE_PERMISSIONS_DEFAULT = WrittenFile.OWNER_ONLY;
    public static final String FILE_PERMISSIONS_PROP_NAME = WrittenFile.PERMISSIONS_PROP_NAME;

    private ConsumerConfiguration()
    {
    }

    /** Returns the settings of a new context. */
    static ConsumerSettings defaults()
    {
        final ConsumerSettings settings = new ConsumerSettings();
        settings.fetchMaxBytes = SystemUtil.getSizeAsInt(FETCH_MAX_BYTES_PROP_NAME, FETCH_MAX_BYTES_DEFAULT);
        settings.fetchMinBytes = SystemUtil.getSizeAsInt(FETCH_MIN_BYTES_PROP_NAME, FETCH_MIN_BYTES_DEFAULT);
        settings.fetchMaxWaitMs = fetchMaxWaitMs();
        settings.receiveBufferMaxLength =
            SystemUtil.getSizeAsInt(RECEIVE_BUFFER_MAX_LENGTH_PROP_NAME, RECEIVE_BUFFER_MAX_LENGTH_DEFAULT);
        return settings;
    }

    private static int fetchMaxWaitMs()
    {
        final String value = System.getProperty(FETCH_MAX_WAIT_MS_PROP_NAME);
        try
        {
            return value == null ? FETCH_MAX_WAIT_MS_DEFAULT : Integer.parseInt(value);
        }
        catch (final NumberFormatException ex)
        {
            throw new IllegalArgumentException(
                FETCH_MAX_WAIT_MS_PROP_NAME + " is '" + value + "': it must be a whole number of milliseconds", ex);
        }
    }
}
