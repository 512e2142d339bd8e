import { type Static, Type } from 'typebox'
import { ChallengeCategory, ChallengeType } from './challenges.ts'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'
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

/** A capture file with what was counted when it was stored. */
export const CountedCapture = Type.Object(
  {
    ...CaptureFile.properties,
    packets: nullableInteger({ format: 'int64', ...notNegative, description: 'Null: the file was stored uncounted.' }),
  },
  { title: 'CountedCapture' },
)
export type CountedCapture = Static<typeof CountedCapture>

/**
 * Whether the platform can record traffic. `Available`: challenges with the switch on are recorded. `SwitchedOff`: the operator
 * of the platform has not switched captures on. `Unsupported`: instances run where nothing can record them (on one machine).
 */
export const CaptureRecorder = stringEnum(['Available', 'SwitchedOff', 'Unsupported'], { title: 'CaptureRecorder' })
export type CaptureRecorder = Static<typeof CaptureRecorder>

/**
 * How the recording of one instance stands. `Starting`: the recorder is not up yet. `Recording`: all is well. `Failing`: the
 * recorder does not run, or its files cannot be fetched; `reason` and `message` say which. `Draining`: the instance has ended, its last files
 * are being fetched. `Complete`: it has ended and every file is stored. `Incomplete`: it has ended and something was not recorded
 * or could not be fetched (`gaps`).
 */
export const CaptureState = stringEnum(['Starting', 'Recording', 'Failing', 'Draining', 'Complete', 'Incomplete'], {
  title: 'CaptureState',
})
export type CaptureState = Static<typeof CaptureState>

const amount = (description: string) => Type.Integer({ format: 'int64', ...notNegative, description })

/** What was stored and what is missing. All zeros but the first three: nothing was lost. */
const captureFigures = {
  files: amount('Stored files.'),
  bytes: amount('Bytes of the stored files.'),
  packets: amount('Packets written by the recorders.'),
  droppedPackets: amount('Packets that the recorders could not keep up with.'),
  lostFiles: amount('Files given up because they were not fetched in time or the limit of the instance was reached.'),
  lostBytes: amount('Bytes of those files.'),
  gaps: amount('Stretches of time that are missing because a recorder or its pod was gone.'),
}

/** Figures of a game's captures, those of deleted files left out of `files` and `bytes`. */
export const CaptureFigures = Type.Object(captureFigures, { title: 'CaptureFigures' })
export type CaptureFigures = Static<typeof CaptureFigures>

/** One recorded instance. */
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
      description: 'Word for what is wrong (CaptureFailed, CaptureNotConfigured, NotFetched); null in every state but Failing.',
    }),
    message: nullableString({ description: 'The same as an English sentence.' }),
    startedAt: Type.String({ format: 'date-time' }),
    endedAt: nullableString({ format: 'date-time', description: 'Null while the instance runs.' }),
    collectedAt: nullableString({
      format: 'date-time',
      description: 'When everything finished by then was stored; null: never yet.',
    }),
    ...captureFigures,
  },
  { title: 'InstanceCapture' },
)
export type InstanceCapture = Static<typeof InstanceCapture>

/** Health and loss of a game's captures, for monitors. */
export const CaptureHealth = Type.Object(
  {
    recorder: CaptureRecorder,
    message: nullableString({
      description: 'Why nothing is recorded, as an English sentence; null while the recorder is Available.',
    }),
    totals: CaptureFigures,
    instances: Type.Array(InstanceCapture, {
      description: 'Running instances first, then those that ended, newest first; at most 200.',
    }),
  },
  { title: 'CaptureHealth' },
)
export type CaptureHealth = Static<typeof CaptureHealth>

/** A TCP connection to an instance of a team that the proxy carries or carried. Bytes as seen from the client. */
export const ProxiedConnection = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    instanceId: Type.String({ format: 'uuid' }),
    challengeId: Type.Integer({ format: 'int32' }),
    challengeTitle: Type.String(),
    participationId: Type.Integer({ format: 'int32' }),
    teamName: Type.String(),
    userName: nullableString({ description: 'Who was signed in; null: nobody, or the user is gone.' }),
    clientAddress: Type.String(),
    way: Type.Optional(InstanceWay),
    port: Type.Optional(Type.Integer({ description: 'Of the container, where it is another one than its entry.' })),
    bytesSent: Type.Integer({ format: 'int64' }),
    bytesReceived: Type.Integer({ format: 'int64' }),
    openedAt: Type.String({ format: 'date-time' }),
    closedAt: nullableString({ format: 'date-time', description: 'Null while it is open.' }),
  },
  { title: 'ProxiedConnection' },
)
export type ProxiedConnection = Static<typeof ProxiedConnection>
