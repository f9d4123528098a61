// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.internal.RecordBatch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The log of a partition. A batch is appended by copying a {@link BatchTemplate} and patching its base offset, leader
 * epoch, timestamps and producer; a {@link BatchTemplate#numbered numbered} template also gets a number in the first 8
 * bytes of each value, so that a record delivered at a wrong offset is noticed.
 * <p>
 * {@link #deleteBefore} and {@link #truncate} change what brokers serve; the batches stay known to {@link #record},
 * because a reader may have received them, until {@link #trim} frees them.
 */
public final class ModelLog
{
    /** An offset or an epoch that does not exist. */
    public static final int NONE = -1;

    private static final int MAGIC_2 = RecordBatch.MAGIC_VALUE_V2;
    private static final int EPOCH_INDEX = 12;
    private static final int CRC_INDEX = 17;
    private static final int ATTRIBUTES_INDEX = 21;
    private static final int BASE_TIMESTAMP_INDEX = 27;
    private static final int MAX_TIMESTAMP_INDEX = 35;
    private static final int PRODUCER_ID_INDEX = 43;
    private static final int PRODUCER_EPOCH_INDEX = 51;
    private static final short TRANSACTIONAL = 0x10;
    private static final BatchTemplate COMMIT = BatchTemplate.marker(true);
    private static final BatchTemplate ABORT = BatchTemplate.marker(false);

    private record OpenTransaction(long producerId, long firstOffset)
    {
    }

    private record EndedTransaction(long producerId, long firstOffset, long markerOffset)
    {
    }

    private final CRC32C crc = new CRC32C();
    private final LeaderEpochs epochs = new LeaderEpochs();
    private final Runnable onChange;
    private final List<OpenTransaction> open = new ArrayList<>();
    private final List<EndedTransaction> aborted = new ArrayList<>();
    private final List<ModelBatch> truncated = new ArrayList<>();
    private ModelBatch[] batches = new ModelBatch[16];
    private int first;
    private int limit;
    private ModelBatch.Segment active;
    private int segmentLength = 64 * 1024;
    private int leaderEpoch;
    private long leaderEpochStart;
    private long startOffset;
    private long endOffset;
    private long highWatermark;
    private boolean isHighWatermarkHeld;
    private int skipped;
    private long nextNumber;

    /**
     * @param number   from which the numbers of the values are derived; logs with different numbers have no value in
     *                 common.
     * @param onChange runs after each change that a reader may notice.
     */
    public ModelLog(final int number, final Runnable onChange)
    {
        this.nextNumber = (long)number << 40;
        this.onChange = onChange;
    }

    /** Sets the length of new segments, in bytes; a longer batch has its own segment. */
    public ModelLog segmentLength(final int newSegmentLength)
    {
        segmentLength = newSegmentLength;
        return this;
    }

    /** Sets the epoch of later batches; a new epoch starts at the log end. */
    public void leaderEpoch(final int newLeaderEpoch)
    {
        leaderEpoch = newLeaderEpoch;
        leaderEpochStart = endOffset;
        epochs.start(newLeaderEpoch, endOffset);
    }

    /** Appends a batch with the timestamps of its template. Returns its base offset. */
    public long append(final BatchTemplate template)
    {
        return append(template, 0, NONE, (short)NONE, ModelBatch.PLAIN);
    }

    /**
     * Appends a batch.
     *
     * @param timestampShift added to the timestamps of the template, in ms; magic 0 and 1 keep those of the template.
     * @return its base offset.
     */
    public long append(final BatchTemplate template, final long timestampShift)
    {
        return append(template, timestampShift, NONE, (short)NONE, ModelBatch.PLAIN);
    }

    /** Appends a batch of a transaction, which its first batch begins. The template has magic 2. */
    public long appendTransactional(
        final BatchTemplate template, final long timestampShift, final long producerId, final short producerEpoch)
    {
        if (open.stream().noneMatch((transaction) -> transaction.producerId == producerId))
        {
            open.add(new OpenTransaction(producerId, endOffset + skipped));
        }
        return append(template, timestampShift, producerId, producerEpoch, ModelBatch.OPEN);
    }

    /** Appends the marker that ends a producer's transaction, which need not exist. Returns its offset. */
    public long endTransaction(
        final long producerId, final short producerEpoch, final boolean isCommit, final long timestampShift)
    {
        final long marker = endOffset + skipped;
        for (int i = open.size() - 1; i >= 0; i--)
        {
            final OpenTransaction transaction = open.get(i);
            if (transaction.producerId == producerId)
            {
                open.remove(i);
                end(transaction, isCommit ? ModelBatch.COMMITTED : ModelBatch.ABORTED);
                if (!isCommit)
                {
                    aborted.add(new EndedTransaction(producerId, transaction.firstOffset, marker));
                }
            }
        }
        return append(isCommit ? COMMIT : ABORT, timestampShift, producerId, producerEpoch, ModelBatch.MARKER);
    }

    private void end(final OpenTransaction transaction, final int state)
    {
        for (int i = limit - 1; i >= first && batches[i].baseOffset >= transaction.firstOffset; i--)
        {
            if (batches[i].state == ModelBatch.OPEN && batches[i].producerId == transaction.producerId)
            {
                batches[i].state = state;
            }
        }
    }

    /** Leaves out offsets before the next batch, as compaction does. */
    public void skipOffsets(final int count)
    {
        skipped += count;
    }

    private long append(
        final BatchTemplate template,
        final long timestampShift,
        final long producerId,
        final short producerEpoch,
        final int state)
    {
        final long baseOffset = endOffset + skipped;
        skipped = 0;
        final boolean isPatched = template.magic == MAGIC_2;
        final byte[] bytes =
            template.magic == 0 && template.isCompressed ? template.rebuilt(baseOffset) : template.bytes;
        if (active == null || active.bytes.length - active.length < bytes.length)
        {
            active = new ModelBatch.Segment(Math.max(segmentLength, bytes.length));
        }
        final ModelBatch batch = new ModelBatch(template, active, bytes.length, baseOffset,
            isPatched ? leaderEpoch : NONE, isPatched && template.maxTimestamp >= 0 ? timestampShift : 0, producerId);
        batch.state = state;
        System.arraycopy(bytes, 0, active.bytes, active.length, bytes.length);
        patch(batch, producerEpoch);
        active.length += bytes.length;
        add(batch);
        endOffset = batch.lastOffset + 1;
        if (isPatched)
        {
            epochs.start(leaderEpoch, baseOffset);
        }
        if (!isHighWatermarkHeld)
        {
            highWatermark = endOffset;
        }
        onChange.run();
        return baseOffset;
    }

    private void patch(final ModelBatch batch, final short producerEpoch)
    {
        final BatchTemplate template = batch.template;
        final ByteBuffer buffer = ByteBuffer.wrap(batch.segment.bytes);
        final int index = batch.index;
        if (template.magic != MAGIC_2)
        {
            // The offset of a wrapper is that of its last message.
            buffer.putLong(index, batch.lastOffset);
            return;
        }
        buffer.putLong(index, batch.baseOffset).putInt(index + EPOCH_INDEX, batch.leaderEpoch);
        if (template.maxTimestamp >= 0)
        {
            buffer.putLong(index + BASE_TIMESTAMP_INDEX, template.baseTimestamp + batch.timestampShift)
                .putLong(index + MAX_TIMESTAMP_INDEX, batch.maxTimestamp());
        }
        if (batch.state != ModelBatch.PLAIN)
        {
            buffer.putShort(index + ATTRIBUTES_INDEX,
                (short)(buffer.getShort(index + ATTRIBUTES_INDEX) | TRANSACTIONAL))
                .putLong(index + PRODUCER_ID_INDEX, batch.producerId)
                .putShort(index + PRODUCER_EPOCH_INDEX, producerEpoch);
        }
        if (template.isNumbered)
        {
            for (int i = 0; i < template.count; i++)
            {
                if (template.valueLengths[i] >= Long.BYTES)
                {
                    buffer.putLong(index + template.valueIndexes[i], nextNumber++);
                }
            }
        }
        crc.reset();
        crc.update(batch.segment.bytes, index + ATTRIBUTES_INDEX, batch.length - ATTRIBUTES_INDEX);
        buffer.putInt(index + CRC_INDEX, (int)crc.getValue());
    }

    private void add(final ModelBatch batch)
    {
        if (limit == batches.length)
        {
            final int length = limit - first;
            final ModelBatch[] target = length > batches.length / 2 ? new ModelBatch[batches.length * 2] : batches;
            System.arraycopy(batches, first, target, 0, length);
            Arrays.fill(target, length, target.length, null);
            batches = target;
            first = 0;
            limit = length;
        }
        batches[limit++] = batch;
    }

    /** Moves the log start, as retention or DeleteRecords do. An offset before the log start changes nothing. */
    public void deleteBefore(final long offset)
    {
        if (offset <= startOffset)
        {
            return;
        }
        startOffset = Math.min(offset, endOffset);
        epochs.deleteBefore(startOffset);
        aborted.removeIf((transaction) -> transaction.markerOffset < startOffset);
        highWatermark = Math.max(highWatermark, startOffset);
        onChange.run();
    }

    /** Removes the batches that do not end before an offset, as an unclean election does. */
    public void truncate(final long offset)
    {
        final int end = limit;
        while (limit > first && batches[limit - 1].lastOffset >= offset)
        {
            limit--;
        }
        for (int i = limit; i < end; i++)
        {
            truncated.add(batches[i]);
            batches[i] = null;
        }
        skipped = 0;
        active = null; // the bytes of removed batches stay, for record()
        final long lastEnd = limit == first ? 0 : batches[limit - 1].lastOffset + 1;
        endOffset = Math.min(endOffset, Math.max(Math.min(offset, startOffset), lastEnd));
        startOffset = Math.min(startOffset, endOffset);
        highWatermark = Math.min(highWatermark, endOffset);
        epochs.truncate(endOffset);
        aborted.removeIf((transaction) -> transaction.markerOffset >= endOffset);
        reopenTransactions();
        onChange.run();
    }

    /** A transaction whose marker was truncated is open again. */
    private void reopenTransactions()
    {
        open.clear();
        final List<ModelBatch> tail = new ArrayList<>();
        for (int i = first; i < limit; i++)
        {
            final ModelBatch batch = batches[i];
            if (batch.state == ModelBatch.MARKER)
            {
                tail.removeIf((earlier) -> earlier.producerId == batch.producerId);
            }
            else if (batch.state != ModelBatch.PLAIN)
            {
                tail.add(batch);
            }
        }
        for (final ModelBatch batch : tail)
        {
            batch.state = ModelBatch.OPEN;
            if (open.stream().noneMatch((transaction) -> transaction.producerId == batch.producerId))
            {
                open.add(new OpenTransaction(batch.producerId, batch.baseOffset));
            }
        }
    }

    /** Frees the batches that end before both an offset and the log start. */
    public void trim(final long offset)
    {
        final long before = Math.min(offset, startOffset);
        while (first < limit && batches[first].lastOffset < before)
        {
            batches[first++] = null;
        }
        truncated.removeIf((batch) -> batch.lastOffset < offset);
    }

    /** Keeps the high watermark where it is while batches are appended; otherwise it is the log end. */
    public void holdHighWatermark(final boolean isHeld)
    {
        isHighWatermarkHeld = isHeld;
        if (!isHeld)
        {
            highWatermark(endOffset);
        }
    }

    /** Sets the high watermark, to an offset at which a batch starts or to the log end. */
    public void highWatermark(final long offset)
    {
        highWatermark = offset;
        onChange.run();
    }

    /** Returns the index of the batch that contains an offset, or else of the first one after it. */
    private int indexOf(final long offset)
    {
        int low = first;
        int high = limit;
        if (low < high && batches[high - 1].baseOffset <= offset) // most readers are at the log end
        {
            return batches[high - 1].lastOffset >= offset ? high - 1 : high;
        }
        while (low < high)
        {
            final int middle = low + high >>> 1;
            if (batches[middle].lastOffset < offset)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }
        return low;
    }

    /** Returns the number of batches from an offset to the end of the log. */
    public int batchesFrom(final long offset)
    {
        return limit - indexOf(offset);
    }

    /**
     * Returns how many bytes a read returns: those of one segment from the batch with the offset on.
     *
     * @param end              of the range that the reader may see.
     * @param isOneBatchWanted whether a first batch beyond the limit is returned whole; otherwise 0 bytes are.
     */
    public int readableLength(final long offset, final long end, final int maxLength, final boolean isOneBatchWanted)
    {
        final int from = indexOf(offset);
        if (offset >= end || from == limit || batches[from].lastOffset >= end)
        {
            return 0;
        }
        final ModelBatch batch = batches[from];
        if (batch.length > maxLength)
        {
            return isOneBatchWanted ? batch.length : 0;
        }
        final ModelBatch last = batches[indexOf(end) - 1];
        return Math.min(maxLength, endIndex(batch, last) - batch.index);
    }

    private int endIndex(final ModelBatch batch, final ModelBatch last)
    {
        if (last.segment == batch.segment)
        {
            return last.index + last.length;
        }
        int i = indexOf(batch.baseOffset);
        while (batches[i + 1].segment == batch.segment)
        {
            i++;
        }
        return batches[i].index + batches[i].length;
    }

    /** Returns whether all bytes between two offsets are in one segment. */
    boolean isOneSegment(final long offset, final long end)
    {
        final int from = indexOf(offset);
        final int to = indexOf(end) - 1;
        return from >= to || batches[from].segment == batches[to].segment;
    }

    /** Returns whether the high watermark is still that of an earlier leader, which a new leader must not report. */
    boolean isHighWatermarkLagging()
    {
        return highWatermark < Math.min(leaderEpochStart, endOffset);
    }

    /** Returns the bytes that {@link #readableLength} has counted. */
    public ByteBuffer read(final long offset, final int length)
    {
        final ModelBatch batch = batches[indexOf(offset)];
        return ByteBuffer.wrap(batch.segment.bytes, batch.index, length).slice();
    }

    /** Returns the aborted transactions of a range, as brokers list them; a surplus entry is legal. */
    List<AbortedTransaction> aborted(final long offset, final long end)
    {
        final List<AbortedTransaction> list = new ArrayList<>();
        for (final EndedTransaction transaction : aborted)
        {
            if (transaction.markerOffset >= offset && transaction.firstOffset < end)
            {
                list.add(new AbortedTransaction()
                    .setProducerId(transaction.producerId).setFirstOffset(transaction.firstOffset));
            }
        }
        return list;
    }

    /** Returns the largest epoch of the log that is not above the requested one, or -1. */
    public int floorEpoch(final int requested)
    {
        return epochs.floor(requested);
    }

    /** Returns the end offset of the epoch that {@link #floorEpoch} returns, or -1. */
    public long epochEndOffset(final int requested)
    {
        return epochs.endOffset(requested, endOffset);
    }

    /** Returns the epoch of an offset, or -1. */
    int epochAt(final long offset)
    {
        return epochs.at(offset);
    }

    /**
     * Sets the view to the first record whose timestamp is not before the given one; as at brokers, a marker is one.
     * Returns false if there is none.
     */
    public boolean firstSince(final long timestamp, final ModelRecord record)
    {
        for (int i = indexOf(startOffset); i < limit; i++)
        {
            final ModelBatch batch = batches[i];
            for (int r = 0; batch.maxTimestamp() >= timestamp && r < batch.template.timestamps.length; r++)
            {
                if (batch.timestamp(r) >= timestamp && batch.baseOffset + batch.template.offsetDeltas[r] >= startOffset)
                {
                    record.batch = batch;
                    record.ordinal = r;
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the largest timestamp of the log, or -1. */
    public long maxTimestamp()
    {
        long max = NONE;
        for (int i = indexOf(startOffset); i < limit; i++)
        {
            max = Math.max(max, batches[i].maxTimestamp());
        }
        return max;
    }

    /**
     * Sets the view to the record at an offset, also if it was deleted or truncated.
     *
     * @param epoch leader epoch of the batch that the reader has received; -1, which is also that of a batch of an old
     *              format, for the present log.
     * @return false if there is no record for readers: a hole, a control record, or an offset outside the log.
     */
    public boolean record(final long offset, final int epoch, final ModelRecord record)
    {
        final int i = indexOf(offset);
        if (i < limit && epoch < 0)
        {
            return set(batches[i], offset, record);
        }
        if (i < limit && batches[i].leaderEpoch == epoch && set(batches[i], offset, record))
        {
            return true;
        }
        for (int t = truncated.size() - 1; t >= 0; t--)
        {
            final ModelBatch batch = truncated.get(t);
            if (batch.leaderEpoch == epoch && batch.baseOffset <= offset && batch.lastOffset >= offset)
            {
                return set(batch, offset, record);
            }
        }
        return false;
    }

    private static boolean set(final ModelBatch batch, final long offset, final ModelRecord record)
    {
        final int ordinal = offset < batch.baseOffset ? -1 : batch.ordinal(offset);
        if (ordinal >= 0)
        {
            record.batch = batch;
            record.ordinal = ordinal;
        }
        return ordinal >= 0;
    }

    public long startOffset()
    {
        return startOffset;
    }

    public long endOffset()
    {
        return endOffset;
    }

    public long highWatermark()
    {
        return highWatermark;
    }

    /** Returns the first offset of the oldest open transaction that the log holds, or else the high watermark. */
    public long lastStableOffset()
    {
        return open.isEmpty() ? highWatermark :
            Math.min(highWatermark, Math.max(startOffset, open.get(0).firstOffset));
    }

    public int leaderEpoch()
    {
        return leaderEpoch;
    }
}
