import { type Static, Type } from 'typebox'
import { ChallengeCategory, ChallengeType } from './challenges.ts'
import { additive, nullableInteger, nullableString, stringEnum } from './kit.ts'
import { notNegative } from './limits.ts'
import { InstanceWay } from './reach.ts'

export const CapturedChallenge = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    title: Type.String(),
    category: ChallengeCategory,
    type: ChallengeType,
    isEnabled: Type.Boolean(),
    count: Type.Integer({ format: 'int32', description: 'Teams with captures.' }),
  },
  { title: 'CapturedChallenge' },
)
export type CapturedChallenge = Static<typeof CapturedChallenge>

export const CapturedTeam = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Participation id, the {pid} of the next calls.' }),
    teamId: Type.Integer({ format: 'int32' }),
    name: nullableString(),
    organization: nullableString(),
    division: Type.Optional(nullableString({ description: 'Same as `organization`.', ...additive })),
    avatar: nullableString(),
    count: Type.Integer({ format: 'int32', description: 'Files.' }),
  },
  { title: 'CapturedTeam' },
)
export type CapturedTeam = Static<typeof CapturedTeam>

export const CaptureFile = Type.Object(
  {
    fileName: Type.String(),
    size: Type.Integer({ format: 'int64' }),
    updateTime: Type.String({ format: 'date-time' }),
  },
  { title: 'CaptureFile' },
)
export type CaptureFile = Static<typeof CaptureFile>

/** Capture file, with its container and the number of packets that was counted when the file was stored. */
export const CountedCapture = Type.Object(
  {
    ...CaptureFile.properties,
    packets: nullableInteger({ format: 'int64', ...notNegative, description: 'Null if the packets were not counted.' }),
    container: nullableString({ description: 'Container of the file among several; null if the instance has no other.' }),
  },
  { title: 'CountedCapture' },
)
export type CountedCapture = Static<typeof CountedCapture>

/**
 * State of traffic recording on this installation. `Available`: challenges can enable recording. `SwitchedOff`: the installation
 * has disabled recording. `Unsupported`: recording is impossible, because instances run outside of Kubernetes.
 */
export const CaptureRecorder = stringEnum(['Available', 'SwitchedOff', 'Unsupported'], { title: 'CaptureRecorder' })
export type CaptureRecorder = Static<typeof CaptureRecorder>

/**
 * State of an instance's recording. `Starting`: the recorder is not ready yet. `Recording`: the recorder works. `Failing`: the
 * recorder does not run, or its files cannot be fetched; see `reason` and `message`. `Draining`: the instance has ended, and the
 * last files are being fetched. `Complete`: the instance has ended, and every file is stored. `Incomplete`: the instance has
 * ended, and data is missing (see `gaps`).
 */
export const CaptureState = stringEnum(['Starting', 'Recording', 'Failing', 'Draining', 'Complete', 'Incomplete'], {
  title: 'CaptureState',
})
export type CaptureState = Static<typeof CaptureState>

function amount(description: string) {
  return Type.Integer({ format: 'int64', ...notNegative, description })
}

/** Numbers of stored and lost data. Nothing was lost if all numbers except `files`, `bytes` and `packets` are zero. */
const captureFigures = {
  files: amount('Stored files.'),
  bytes: amount('Bytes of the stored files.'),
  packets: amount('Packets written by the recorders.'),
  droppedPackets: amount('Packets that the recorders dropped.'),
  lostFiles: amount(
    'Files that were discarded, because they were not fetched in time, were invalid, or exceeded the limit of the team and challenge.',
  ),
  lostBytes: amount('Bytes of those files.'),
  gaps: amount('Gaps in the recording, because a recorder or its pod disappeared.'),
}

/** Totals of a game's captures. `files` and `bytes` exclude deleted files. */
export const CaptureFigures = Type.Object(captureFigures, { title: 'CaptureFigures' })
export type CaptureFigures = Static<typeof CaptureFigures>

export const InstanceCapture = Type.Object(
  {
    instanceId: Type.String({ format: 'uuid' }),
    challengeId: Type.Integer({ format: 'int32' }),
    challengeTitle: Type.String(),
    participationId: Type.Integer({ format: 'int32' }),
    teamId: Type.Integer({ format: 'int32' }),
    teamName: Type.String(),
    state: CaptureState,
    reason: nullableString({
      description: 'Reason of the state Failing (CaptureFailed, CaptureNotConfigured, NotFetched); null in other states.',
    }),
    message: nullableString({ description: 'The reason as an English sentence.' }),
    startedAt: Type.String({ format: 'date-time' }),
    endedAt: nullableString({ format: 'date-time', description: 'Null while the instance runs.' }),
    collectedAt: nullableString({
      format: 'date-time',
      description: 'Time of the last complete collection; null before the first.',
    }),
    ...captureFigures,
  },
  { title: 'InstanceCapture' },
)
export type InstanceCapture = Static<typeof InstanceCapture>

/** State of all traffic recordings of a game, with the amount of lost data. */
export const CaptureHealth = Type.Object(
  {
    recorder: CaptureRecorder,
    message: nullableString({
      description: 'Reason why nothing is recorded, as an English sentence; null if the recorder is Available.',
    }),
    totals: CaptureFigures,
    instances: Type.Array(InstanceCapture, {
      description: 'Running instances first, then those that ended, newest first; at most 200.',
    }),
  },
  { title: 'CaptureHealth' },
)
export type CaptureHealth = Static<typeof CaptureHealth>

/** TCP connection through the proxy to an instance of a team. Bytes count as sent if the client sent them. */
export const ProxiedConnection = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    instanceId: Type.String({ format: 'uuid' }),
    challengeId: Type.Integer({ format: 'int32' }),
    challengeTitle: Type.String(),
    participationId: Type.Integer({ format: 'int32' }),
    teamName: Type.String(),
    userName: nullableString({ description: 'Name of the user; null for visitors and deleted users.' }),
    clientAddress: Type.String(),
    way: Type.Optional(InstanceWay),
    port: Type.Optional(Type.Integer({ description: 'Port of the container, unless it is the entry port.' })),
    bytesSent: Type.Integer({ format: 'int64' }),
    bytesReceived: Type.Integer({ format: 'int64' }),
    openedAt: Type.String({ format: 'date-time' }),
    closedAt: nullableString({ format: 'date-time', description: 'Null while the connection is open.' }),
  },
  { title: 'ProxiedConnection' },
)
export type ProxiedConnection = Static<typeof ProxiedConnection>
