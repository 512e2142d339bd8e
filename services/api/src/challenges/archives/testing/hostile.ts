import { InputLimits, Limits } from '@capstan/contract/limits'
import { createRawZip, createZipOfManyFiles, type RawEntry } from './raw-zip.ts'

/** Malicious archive, with the expected reason of its refusal. */
export type Hostile = readonly [what: string, zip: () => Buffer, why: RegExp]

const oddNames: readonly (readonly [what: string, name: string | Buffer, why: RegExp])[] = [
  ['climbs out of its folder', '../../etc/passwd', /a path outside of its folder/],
  ['climbs out of its folder in the middle', 'a/../../b.txt', /a path outside of its folder/],
  ['is a folder above', '../above/', /a path outside of its folder/],
  ['is absolute', '/etc/passwd', /an absolute path/],
  ['is on a drive', 'C:/windows/x.txt', /an absolute path/],
  ['is of another system', 'a\\..\\b.txt', /a backslash/],
  ['has an empty part', 'a//b.txt', /empty parts or dots/],
  ['points at itself', './a.txt', /empty parts or dots/],
  ['holds NUL', 'a.txt\0.png', /name with invalid characters/],
  ['holds a control character', 'a\u0007b.txt', /name with invalid characters/],
  ['is written backwards', 'a\u202egpj.exe', /name with invalid characters/],
  ['is no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62]), /name with invalid characters/],
  ['is the name of a device', 'web/Aux.txt', /a device name/],
  ['is that of a folder like a device', 'nul/a.txt', /a device name/],
  ['is the name of a device with a superscript digit', 'COM¹.log', /a device name/],
  ['is the name of a console', 'src/CONIN$', /a device name/],
  ['is very deep', `${'a/'.repeat(Limits.maxImportDepth + 1)}b`, /too many folders/],
  ['is long', 'a'.repeat(InputLimits.maxFileNameLength + 1), /a name that is too long/],
  ['is as long as it can be', 'a'.repeat(65_535), /a name that is too long/],
]

const oddPairs: readonly (readonly [what: string, names: readonly [string, string], why: RegExp])[] = [
  ['that differ in upper case alone', ['Makefile', 'makefile'], /the same name as `Makefile` on other systems/],
  ['that differ in how an accent is written', ['caf\u00e9', 'cafe\u0301'], /the same name as `caf\u00e9` on other systems/],
  ['of which one is the folder of the other', ['both', 'both/b.txt'], /is both a file and a folder/],
  ['of which one is a folder far above the other', ['top/a/b/c.txt', 'top'], /is both a file and a folder/],
  ['of which one is the folder of the other elsewhere', ['Lib', 'lib/b.txt'], /cannot distinguish from the file `Lib`/],
]

const oddEntries: readonly (readonly [what: string, entry: Omit<RawEntry, 'name'>, why: RegExp])[] = [
  ['a link', { mode: 0o120777, content: '/etc/passwd' }, /is a link/],
  ['a block device', { mode: 0o060666 }, /is a link or a device/],
  ['a pipe', { mode: 0o010666 }, /is a link or a device/],
  ['a stored file that is encrypted', { flags: 0x801, content: 'twelve bytes and more', sizeBytes: 9 }, /is encrypted/],
  ['a deflated file that is encrypted', { flags: 0x801, isDeflated: true }, /is encrypted/],
  ['an encrypted file with a descriptor after its content', { flags: 0x809, isDeflated: true }, /is encrypted/],
  ['a file with the encryption AES of WinZip', { flags: 0x801, method: 99 }, /is encrypted/],
  ...[1, 6, 9, 12, 14, 93, 95, 98, 65_535].map(
    (method) => [`a file with the compression method ${method}`, { method }, /by a method other than deflate/] as const,
  ),
  ['a stored file that states a smaller size', { sizeBytes: 5 }, /two different sizes/],
  ['a stored file that states a larger size', { sizeBytes: 500 }, /two different sizes/],
  ['an empty stored file that states a size', { content: '', sizeBytes: 1 }, /two different sizes/],
]

/** Groups of entries that have the same path. */
const oddTwins: readonly (readonly [what: string, entries: readonly Omit<RawEntry, 'name'>[], why: RegExp])[] = [
  ['two files of one path', [{ content: 'one' }, { content: 'two' }], /several times with different contents/],
  [
    'three files of one path, of which two are equal',
    [{ content: 'one' }, { content: 'one' }, { content: 'three' }],
    /several times with different contents/,
  ],
  ['two files of one path, of which one is encrypted', [{ content: 'one' }, { content: 'one', flags: 0x801 }], /is encrypted/],
  ['a file and a link of one path', [{ mode: 0o120777 }, {}], /is a link/],
]

/** Returns archives that each contain one unreadable entry, together with the reason why that entry cannot be read. */
export function createMalformedArchives(sound: readonly RawEntry[]): Hostile[] {
  return [
    ...oddNames.map(([what, name, why]): Hostile => [`a file whose name ${what}`, () => createRawZip([...sound, { name }]), why]),
    ...oddPairs.map(
      ([what, [one, two], why]): Hostile => [
        `two files ${what}`,
        () => createRawZip([...sound, { name: one }, { name: two }]),
        why,
      ],
    ),
    ...oddEntries.map(([what, entry, why]): Hostile => [what, () => createRawZip([...sound, { name: 'x.bin', ...entry }]), why]),
    ...oddTwins.map(
      ([what, entries, why]): Hostile => [
        what,
        () => createRawZip([...sound, ...entries.map((entry) => ({ name: 'twin.txt', ...entry }))]),
        why,
      ],
    ),
  ]
}

const entries: readonly (readonly [what: string, entry: Omit<RawEntry, 'name'>, why: RegExp])[] = [
  ['a file beyond the end of the archive', { headerAt: 0xfff_ffff }, /is incomplete/],
  ['a file that is said to unpack to 3 GB', { isDeflated: true, sizeBytes: 3 * 1024 ** 3 }, /unpacks to more than 2048 MB/],
  [
    'a file that unpacks to a thousand times its size',
    { isDeflated: true, content: Buffer.alloc(Limits.importRatioFreeBytes + 1) },
    /unpacks to more than 100 times/,
  ],
]

/** Faults of a single file. An import that reads this file refuses the archive. Other imports accept the archive. */
const wanted: readonly (readonly [what: string, entry: Omit<RawEntry, 'name'>, why: RegExp])[] = [
  [
    'a zip bomb that states a small size',
    { isDeflated: true, content: Buffer.alloc(32 * 1024 ** 2), sizeBytes: 10 },
    /is damaged/,
  ],
  ['a file with a wrong checksum', { crc: 7 }, /is damaged/],
  ['a file with another name in its local header', { localName: 'x'.repeat(9) }, /is not at the position in the directory/],
  ['a file at a position without a header', { headerAt: 7 }, /overlaps|is not at the position in the directory/],
]

const million = 1_000_000

/**
 * Returns archives that have one fault each and are otherwise valid.
 * @param validFiles files of a valid archive, to which the function adds each fault
 * @param attachedName name of an attached file, which the import must read
 */
export function createHostileArchives(validFiles: readonly RawEntry[], attachedName: string): Hostile[] {
  const others = validFiles.filter(({ name }) => name !== attachedName)
  const zip = createRawZip(validFiles)
  return [
    ...entries.map(
      ([what, entry, why]): Hostile => [what, () => createRawZip([...validFiles, { name: 'x.bin', ...entry }]), why],
    ),
    ...wanted.map(
      ([what, entry, why]): Hostile => [what, () => createRawZip([...others, { name: attachedName, ...entry }]), why],
    ),
    [
      'files that share their bytes',
      () => createRawZip([{ name: 'x.bin', content: Buffer.alloc(5_000) }, ...validFiles, { name: 'y.bin', headerAt: 10 }]),
      /overlaps another file/,
    ],
    [
      'a directory with more files than its end says',
      () => createRawZip(validFiles, { count: validFiles.length - 1 }),
      /more files than its directory states/,
    ],
    [
      'a directory with fewer files than its end says',
      () => createRawZip(validFiles, { count: validFiles.length + 1 }),
      /zip archive cannot be read/,
    ],
    ['a directory that is elsewhere', () => createRawZip(validFiles, { directoryAt: 3 }), /zip archive cannot be read/],
    [
      'a directory outside of the archive',
      () => createRawZip(validFiles, { directoryAt: 0xfff_ffff }),
      /zip archive cannot be read/,
    ],
    ['half of an archive', () => zip.subarray(0, zip.length / 2), /zip archive cannot be read/],
    ['an archive without its last bytes', () => zip.subarray(0, -5), /zip archive cannot be read/],
    ['an archive without its first bytes', () => zip.subarray(40), /cannot be read|incomplete|not at the position/],
    ['an archive with trailing bytes', () => Buffer.concat([zip, Buffer.alloc(100)]), /zip archive cannot be read/],
    ['no zip', () => Buffer.from('PK nothing'), /zip archive cannot be read/],
    ['a million files', () => createZipOfManyFiles(million), /1000000 files, but at most 50000 are allowed/],
    [
      'a million files whose end record counts a part',
      () => createZipOfManyFiles(million, 'short'),
      /more files than its directory states/,
    ],
    [
      'a million files whose zip64 end record counts three',
      () => createZipOfManyFiles(million, 3),
      /more files than its directory states/,
    ],
  ]
}
