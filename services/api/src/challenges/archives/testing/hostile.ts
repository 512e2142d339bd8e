import { InputLimits, Limits } from '@capstan/contract/limits'
import { crowdedZip, type RawEntry, rawZip } from './raw-zip.ts'

/** A malicious archive with the expected reason of its refusal. */
export type Hostile = readonly [what: string, zip: () => Buffer, why: RegExp]

/** Names of entries that are ignored. */
const oddNames: readonly (readonly [what: string, name: string | Buffer, why: RegExp])[] = [
  ['climbs out of its folder', '../../etc/passwd', /leads out of its folder/],
  ['climbs out of its folder in the middle', 'a/../../b.txt', /leads out of its folder/],
  ['is a folder above', '../above/', /leads out of its folder/],
  ['is absolute', '/etc/passwd', /an absolute path/],
  ['is on a drive', 'C:/windows/x.txt', /an absolute path/],
  ['is of another system', 'a\\..\\b.txt', /a backslash/],
  ['has an empty part', 'a//b.txt', /no plain path/],
  ['points at itself', './a.txt', /no plain path/],
  ['holds NUL', 'a.txt\0.png', /characters that no file name holds/],
  ['holds a control character', 'a\u0007b.txt', /characters that no file name holds/],
  ['is written backwards', 'a\u202egpj.exe', /characters that no file name holds/],
  ['is no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), /characters that no file name holds/],
  ['is the name of a device', 'web/Aux.txt', /the name of a device/],
  ['is that of a folder like a device', 'nul/a.txt', /the name of a device/],
  ['is the name of a device with a superscript digit', 'COM¹.log', /the name of a device/],
  ['is the name of a console', 'src/CONIN$', /the name of a device/],
  ['is very deep', `${'a/'.repeat(Limits.maxImportDepth + 1)}b`, /too many folders/],
  ['is long', 'a'.repeat(InputLimits.maxFileNameLength + 1), /too long a name/],
  ['is as long as it can be', 'a'.repeat(65_535), /too long a name/],
]

const pairs: readonly (readonly [what: string, names: readonly [string, string], why: RegExp])[] = [
  ['of one name', ['twice.txt', 'twice.txt'], /is there twice/],
  ['of which one is the folder of the other', ['both', 'both/b.txt'], /is a file and a folder/],
]

const oddPairs: readonly (readonly [what: string, names: readonly [string, string], why: RegExp])[] = [
  ['that differ in upper case alone', ['Makefile', 'makefile'], /the same as `Makefile` on other systems/],
  ['that differ in how an accent is written', ['caf\u00e9', 'cafe\u0301'], /the same as `caf\u00e9` on other systems/],
  ['of which one is the folder of the other elsewhere', ['Lib', 'lib/b.txt'], /below `Lib` on other systems/],
]

const oddEntries: readonly (readonly [what: string, entry: Omit<RawEntry, 'name'>, why: RegExp])[] = [
  ['a link', { mode: 0o120777, content: '/etc/passwd' }, /is a link/],
  ['a block device', { mode: 0o060666 }, /is a link or a device/],
  ['a pipe', { mode: 0o010666 }, /is a link or a device/],
]

/** Archives that are read except for one entry each, with the reason for that entry. */
export function oddArchives(sound: readonly RawEntry[]): Hostile[] {
  return [
    ...oddNames.map(([what, name, why]): Hostile => [`a file whose name ${what}`, () => rawZip([...sound, { name }]), why]),
    ...oddPairs.map(
      ([what, [one, two], why]): Hostile => [`two files ${what}`, () => rawZip([...sound, { name: one }, { name: two }]), why],
    ),
    ...oddEntries.map(([what, entry, why]): Hostile => [what, () => rawZip([...sound, { name: 'x.bin', ...entry }]), why]),
  ]
}

const entries: readonly (readonly [what: string, entry: Omit<RawEntry, 'name'>, why: RegExp])[] = [
  ['an encrypted file', { flags: 0x801 }, /encrypted|has two sizes|size mismatch/],
  ['a file that is packed by another method', { method: 14 }, /packed by a method/],
  ['a stored file of two sizes', { sizeBytes: 5 }, /size mismatch/],
  ['a file that lies behind the end', { headerAt: 0xfff_ffff }, /is cut off/],
  ['a file that is said to unpack to 3 GB', { isDeflated: true, sizeBytes: 3 * 1024 ** 3 }, /unpacks to more than 2048 MB/],
  [
    'a file that unpacks to a thousand times its size',
    { isDeflated: true, content: Buffer.alloc(Limits.importRatioFreeBytes + 1) },
    /unpacks to more than 100 times/,
  ],
]

/** Faults of a single file, which must be one that the import needs. */
const wanted: readonly (readonly [what: string, entry: Omit<RawEntry, 'name'>, why: RegExp])[] = [
  ['a bomb that says it is small', { isDeflated: true, content: Buffer.alloc(32 * 1024 ** 2), sizeBytes: 10 }, /is damaged/],
  ['a file whose sum is another', { crc: 7 }, /is damaged/],
  ['a file that has another name where it lies', { localName: 'x'.repeat(9) }, /is not where the archive says/],
  ['a file where there is none', { headerAt: 7 }, /overlaps|is not where the archive says/],
]

const million = 1_000_000

/**
 * Returns an otherwise valid archive with each kind of fault.
 * @param sound files of the valid archive
 * @param attached name of one of these files that is stored unchanged
 */
export function hostileArchives(sound: readonly RawEntry[], attached: string): Hostile[] {
  const others = sound.filter(({ name }) => name !== attached)
  const zip = rawZip(sound)
  return [
    ...pairs.map(
      ([what, [one, two], why]): Hostile => [`two files ${what}`, () => rawZip([...sound, { name: one }, { name: two }]), why],
    ),
    ...entries.map(([what, entry, why]): Hostile => [what, () => rawZip([...sound, { name: 'x.bin', ...entry }]), why]),
    ...wanted.map(([what, entry, why]): Hostile => [what, () => rawZip([...others, { name: attached, ...entry }]), why]),
    [
      'files that share their bytes',
      () => rawZip([{ name: 'x.bin', content: Buffer.alloc(5_000) }, ...sound, { name: 'y.bin', headerAt: 10 }]),
      /overlaps another file/,
    ],
    [
      'a directory with more files than its end says',
      () => rawZip(sound, { count: sound.length - 1 }),
      /more files than it says/,
    ],
    [
      'a directory with fewer files than its end says',
      () => rawZip(sound, { count: sound.length + 1 }),
      /no zip that can be read/,
    ],
    ['a directory that is elsewhere', () => rawZip(sound, { directoryAt: 3 }), /no zip that can be read/],
    ['a directory that is nowhere', () => rawZip(sound, { directoryAt: 0xfff_ffff }), /no zip that can be read/],
    ['half of an archive', () => zip.subarray(0, zip.length / 2), /no zip that can be read/],
    ['an archive without its last bytes', () => zip.subarray(0, -5), /no zip that can be read/],
    ['an archive without its first bytes', () => zip.subarray(40), /no zip that can be read|cut off|not where/],
    ['an archive with more behind it', () => Buffer.concat([zip, Buffer.alloc(100)]), /no zip that can be read/],
    ['no zip', () => Buffer.from('PK nothing'), /no zip that can be read/],
    ['a million files', () => crowdedZip(million), /It holds 1000000 files: 50000 are the most/],
    ['a million files of which its end tells a part', () => crowdedZip(million, 'short'), /more files than it says/],
    ['a million files of which its long end tells three', () => crowdedZip(million, 3), /more files than it says/],
  ]
}
