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

/** Maximum length of a query, in bytes. Queries are short, because the names of containers are short. */
export const maxQueryBytes = 4096

/** Maximum number of records in a query. A usual query has one question and one record of options. */
const maxRecords = 8

const headerBytes = 12

/** Response codes (RFC 1035). */
const noError = 0
const formatError = 1
const noSuchName = 3
const notImplemented = 4

export type Decision =
  | { kind: 'answer'; message: Buffer }
  /**
   * The query waits, because the container that sent it or the requested container is not observed yet. The answer may be known
   * soon.
   */
  | { kind: 'hold' }
  /**
   * The name does not belong to the instance of the querying container. If no other name server can be queried, the
   * client gets `answer`. It says that the name does not exist.
   */
  | { kind: 'foreign'; answer: Buffer }
  /** The message is not a query. It gets no answer. */
  | { kind: 'drop' }

/**
 * Decides how to answer a query. A container can resolve only the names in the annotation of its pod. They refer only to pods of
 * its instance.
 * @param address source address of the query
 */
export function decideDnsAnswer(
  message: Buffer,
  address: string,
  directory: Pick<Directory, 'askerAt' | 'addressesOf'>,
): Decision {
  const query = parse(message)
  if (query === undefined || query.type !== 'query') return { kind: 'drop' }
  const [question, ...others] = query.questions ?? []
  if (query.opcode !== 'QUERY') return { kind: 'answer', message: reply(query, notImplemented) }
  if (question === undefined || others.length > 0) return { kind: 'answer', message: reply(query, formatError) }
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

/** Returns the number of records of a message (RFC 1035, section 4.1.1). @returns undefined if the message has no header */
function countRecords(message: Buffer): number | undefined {
  if (message.length < headerBytes) return undefined
  return [4, 6, 8, 10].reduce((sum, offset) => sum + message.readUInt16BE(offset), 0)
}

/**
 * Parses a message that may be a query. Ignores messages with many records, because each record may have a name with thousands of
 * pointers. The parser would need nearly a second for such a message.
 */
function parse(message: Buffer): (Packet & { opcode?: string }) | undefined {
  if (message.length > maxQueryBytes || (countRecords(message) ?? 0) > maxRecords) return undefined
  try {
    return decode(message)
  } catch {
    return undefined
  }
}

function containerOf({ name, class: kind }: Question, { names }: Asker): string | undefined {
  return kind === undefined || kind === 'IN' || kind === 'ANY' ? names.get(name.toLowerCase()) : undefined
}

/** Returns an answer to a query. Clients must not cache the answer, because a replaced pod gets another address. */
function reply({ id, flags = 0, questions = [] }: Packet, code: number, addresses: readonly string[] = []): Buffer {
  const [question] = questions
  const wanted = addresses.filter((address) => question?.type === (isIPv6(address) ? 'AAAA' : 'A'))
  return encode({
    type: 'response',
    ...(id === undefined ? {} : { id }),
    flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (flags & RECURSION_DESIRED) | code,
    questions: questions.slice(0, 1),
    answers: wanted.map((data) => ({ type: isIPv6(data) ? 'AAAA' : 'A', name: question?.name ?? '', ttl: 0, data })),
  })
}
