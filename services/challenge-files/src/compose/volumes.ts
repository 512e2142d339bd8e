import { ContainerLimits } from '@capstan/contract/limits'
import type { NamedContainerRule } from '../format/challenge.ts'
import type { Fields } from '../importers/fields.ts'
import { limitWritableMb } from '../importers/quantities.ts'
import { type FileTree, hasFile, hasFolder, resolvePath } from '../tree.ts'
import { parseComposeBytes } from './quantities.ts'

/** Reads the volumes of a service. Files of the repository are copied into the image. */

export type Copy = Readonly<{
  /** Path in the tree. */
  source: string
  target: string
}>

type WritablePaths = NonNullable<NamedContainerRule['writablePaths']>

export type Volumes = Readonly<{
  copies: readonly Copy[]
  writablePaths: WritablePaths
  /** Named volumes, which services may share. */
  named: readonly Readonly<{ name: string; target: string; index: number }>[]
}>

type Volume = Readonly<{ type: string; source: string; target: string; size?: unknown }>

const defaultSizeMb = 64

const windowsDrive = /^[A-Za-z]:[\\/]/

function isPath(source: string): boolean {
  return /^[./~]/.test(source) || windowsDrive.test(source)
}

/** Splits the short form of a volume at its colons, but not at the colon of a Windows drive. */
function partsOf(text: string): string[] {
  if (!windowsDrive.test(text)) return text.split(':')
  const [path = '', ...others] = text.slice(2).split(':')
  return [text.slice(0, 2) + path, ...others]
}

/** Reads the short form `SOURCE:TARGET:OPTIONS`. */
function shortVolume(text: string): Volume {
  const [first = '', second] = partsOf(text)
  if (second === undefined || (!second.startsWith('/') && /^r[ow]$/.test(second)))
    return { type: 'volume', source: '', target: first }
  return { type: isPath(first) ? 'bind' : 'volume', source: first, target: second }
}

function longVolume(fields: Fields): Volume {
  const type = fields.text('type') ?? 'volume'
  const source = fields.text('source') ?? fields.text('src') ?? ''
  const target = fields.text('target') ?? fields.text('destination') ?? fields.text('dst') ?? ''
  const size = fields.fields('tmpfs')?.take('size')
  const part = fields.fields('volume')
  part?.take('nocopy')
  part?.rest()
  for (const key of ['read_only', 'readonly', 'bind', 'consistency']) fields.take(key)
  fields.rest()
  return { type, source, target, ...(size !== undefined && { size }) }
}

function cleanTarget(target: string): string {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.')
  return `/${parts.join('/')}`
}

export function readVolumes(tree: FileTree, folder: string, service: Fields, isReadOnly: boolean): Volumes {
  const copies: Copy[] = []
  const writablePaths: WritablePaths = []
  const named: { name: string; target: string; index: number }[] = []
  /** Adds a writable folder. If the file gives no size, uses and reports the default size. */
  const writable = (key: 'volumes' | 'tmpfs', path: string, size?: unknown): void => {
    const bytes = parseComposeBytes(size)
    const sizeMb = bytes === undefined || bytes === 0 ? defaultSizeMb : limitWritableMb(service, key, bytes)
    if (bytes === undefined || bytes === 0)
      service.note(key, 'converted', `\`${path}\` has ${sizeMb} MB.`, 'Set `writablePaths` if it needs more.')
    writablePaths.push({ path, sizeMb })
  }
  for (const [index, entry] of service.list('volumes').entries()) {
    const note = (outcome: 'converted' | 'left-out', why: string, advice?: string) =>
      service.noteElement('volumes', index, outcome, why, advice)
    const text = service.elementText('volumes', index, entry)
    const volume = text === undefined ? longVolume(service.element('volumes', index, entry)) : shortVolume(text)
    const target = cleanTarget(volume.target)
    if (volume.type === 'tmpfs') {
      writable('volumes', target, volume.size)
      continue
    }
    if (volume.type === 'bind') {
      if (volume.source.endsWith('docker.sock')) {
        note(
          'left-out',
          'Instances have no access to the engine that runs them.',
          'Change the challenge, so that it needs no Docker.',
        )
        continue
      }
      const source = /^(?:[/~]|[A-Za-z]:)/.test(volume.source) ? undefined : resolvePath(folder, volume.source)
      if (source === undefined) {
        note(
          'left-out',
          `\`${volume.source}\` is not in the imported folder.`,
          'Copy it into the image if the challenge needs it.',
        )
        continue
      }
      if (hasFile(tree, source) || hasFolder(tree, source)) {
        copies.push({ source, target })
        note('converted', 'The files are copied into the image, so each instance has its own copy.')
        continue
      }
      if (isReadOnly) writable('volumes', target)
      note(
        'left-out',
        `\`${volume.source}\` is not in the folder, so the path has the files of the image.`,
        'Add it if the challenge needs it.',
      )
      continue
    }
    if (volume.type !== 'volume') {
      note('left-out', `Volumes of the type \`${volume.type}\` do not exist here.`, 'Copy the files into the image.')
      continue
    }
    if (isReadOnly) writable('volumes', target)
    if (volume.source === '') note('converted', 'Each instance has its own files at this path.')
    else named.push({ name: volume.source, target, index })
  }
  for (const [index, entry] of service.list('tmpfs').entries()) {
    const [path = '', options = ''] = (service.elementText('tmpfs', index, entry) ?? '').split(':')
    writable('tmpfs', cleanTarget(path), /(?:^|,)size=([^,]{1,32})/.exec(options)?.[1])
  }
  return { copies, writablePaths: fittingPaths(writablePaths, service), named }
}

const systemFolders = /^\/(?:dev|proc|sys)(?:\/|$)|^\/$/

/** Returns the writable folders that a container may have, and reports all other writable folders. */
function fittingPaths(paths: WritablePaths, service: Fields): WritablePaths {
  const fitting: WritablePaths = []
  for (const each of paths.toSorted((left, right) => left.path.length - right.path.length)) {
    const outer = fitting.find(({ path }) => each.path === path || each.path.startsWith(`${path}/`))
    if (outer !== undefined) {
      if (each.path !== outer.path || each.sizeMb !== outer.sizeMb)
        service.note(
          'tmpfs',
          'converted',
          `\`${each.path}\` is in the writable folder \`${outer.path}\` with ${outer.sizeMb} MB.`,
          'Check its size in `writablePaths`.',
        )
      continue
    }
    if (
      systemFolders.test(each.path) ||
      !/^(?:\/[A-Za-z0-9._-]+)+$/.test(each.path) ||
      fitting.length === ContainerLimits.maxWritablePaths
    )
      service.note(
        'tmpfs',
        'left-out',
        `\`${each.path}\` cannot be a writable folder.`,
        'Choose another folder if the challenge needs one.',
      )
    else fitting.push(each)
  }
  return fitting
}
