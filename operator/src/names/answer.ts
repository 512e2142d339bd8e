import { isIPv6 } from 'node:net'
import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
} from 'dns-packet'
import type { Asker, Directory } from './directory.ts'

/**
 * Maximum length of a query, in bytes. A query with the longest name needs 271 bytes, so 241 bytes remain for its record of options
 * (EDNS).
 */
export const maxQueryBytes = 512

/** Offsets in the header of a message (RFC 1035, section 4.1.1). */
const offsetOfQuestionCount = 4
const offsetOfAnswerCount = 6
const headerBytes = 12

/** Response codes (RFC 1035). */
const noError = 0
const formatError = 1
const noSuchName = 3
const notImplemented = 4

export type Decision =
  | { kind: 'answer'; message: Buffer }
  /**
   * The query waits, because the container that sent it or the requested container is not observed yet. The response
   * may be known soon.
   */
  | { kind: 'hold' }
  /**
   * The name does not belong to the instance of the querying container. If there is no other DNS server to ask, the
   * client gets `answer`, which says that the name does not exist.
   */
  | { kind: 'foreign'; answer: Buffer }

/** Parts of a DNS query that determine the response. */
export interface Query extends Pick<Packet, 'id' | 'flags'> {
  isStandard: boolean
  /** Question of the query. Undefined if the query has no question or several questions. */
  question: Question | undefined
}

/**
 * Decides how to respond to a DNS query. A container can resolve only the names in the annotation of its pod. These
 * names refer only to pods of the container's instance.
 * @param address source address of the query
 */
export function decideDnsAnswer(query: Query, address: string, directory: Pick<Directory, 'askerAt' | 'addressesOf'>): Decision {
  const { question } = query
  if (!query.isStandard) return { kind: 'answer', message: reply(query, notImplemented) }
  if (question === undefined) return { kind: 'answer', message: reply(query, formatError) }
  const asker = directory.askerAt(address)
  if (asker === undefined) return { kind: 'hold' }
  const container = containerOf(question, asker)
  if (container === undefined) {
    const answer = reply(query, noSuchName)
    // Do not forward names without a dot, because they are names of containers.
    return question.name.includes('.') ? { kind: 'foreign', answer } : { kind: 'answer', message: answer }
  }
  const addresses = directory.addressesOf(asker.instance, container)
  if (addresses.length === 0) return { kind: 'hold' }
  return { kind: 'answer', message: reply(query, noError, addresses) }
}

/**
 * Parses the header and the question of a query. All other records are ignored, because the response does not depend on
 * other records, and a name in these records may contain hundreds of pointers.
 * @returns undefined if the message is not a query
 */
export function parseDnsQuery(message: Buffer): Query | undefined {
  if (message.length < headerBytes || message.length > maxQueryBytes) return undefined
  const hasOneQuestion = message.readUInt16BE(offsetOfQuestionCount) === 1
  const parsed = Buffer.from(message).fill(0, hasOneQuestion ? offsetOfAnswerCount : offsetOfQuestionCount, headerBytes)
  try {
    const { type, id, flags, opcode, questions } = decode(parsed) as Packet & { opcode?: string }
    return type === 'query' ? { id, flags, isStandard: opcode === 'QUERY', question: questions?.[0] } : undefined
  } catch {
    return undefined
  }
}

function containerOf({ name, class: kind }: Question, { names }: Asker): string | undefined {
  return kind === undefined || kind === 'IN' || kind === 'ANY' ? names.get(name.toLowerCase()) : undefined
}

/** Returns the DNS response to a query. Clients must not cache the response, because a replaced pod gets another address. */
function reply({ id, flags = 0, question }: Query, code: number, addresses: readonly string[] = []): Buffer {
  const wanted = addresses.filter((address) => question?.type === (isIPv6(address) ? 'AAAA' : 'A'))
  return encode({
    type: 'response',
    ...(id === undefined ? {} : { id }),
    flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (flags & RECURSION_DESIRED) | code,
    questions: question ? [question] : [],
    answers: wanted.map((data) => ({ type: isIPv6(data) ? 'AAAA' : 'A', name: question?.name ?? '', ttl: 0, data })),
  })
}
