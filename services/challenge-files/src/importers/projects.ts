import type { Finding } from '../report.ts'
import { readForeignFile } from '../toml.ts'
import { type FileTree, folderOf, nameOf } from '../tree.ts'
import { UnreadableFile } from '../yaml.ts'
import type { DialectName, Imported } from './dialect.ts'
import { Fields } from './fields.ts'
import { importedDefaults } from './rcds-project.ts'

/**
 * A project file contains settings for all challenges below its folder, but describes no challenge. Settings that are dropped are
 * reported with the first of these challenges.
 */

const deployment = 'The platform decides where challenges are deployed.'
const archives = 'Several attachments are packed into one zip.'

function readRcds(fields: Fields): void {
  if (fields.keys.includes('backends')) fields.note('backends', 'left-out', `${deployment} Their bounds of points are imported.`)
  const defaults = fields.fields('defaults')
  for (const key of importedDefaults) defaults?.take(key)
  defaults?.rest()
  fields.leaveOut({
    docker: 'The image name is chosen when the image is pushed.',
    flagFormat: 'Flags are compared exactly as written.',
  })
  fields.rest()
}

function readKona(fields: Fields): void {
  const template = fields.keys.includes('templates')
  if (template)
    fields.note('templates', 'left-out', 'Description templates are not applied.', 'Add the missing text to each description.')
  fields.leaveOut({
    ...{
      secrets: deployment,
      clusters: deployment,
      registries: deployment,
      domains: deployment,
      rctf: deployment,
      ctfd: deployment,
    },
    discovery: 'Every folder is read.',
    ...{ attachmentFormat: archives, attachment_format: archives, attachmentWrapDir: archives, attachment_wrap_dir: archives },
  })
  fields.rest()
}

const projects: readonly Readonly<{ dialect: DialectName; name: RegExp; read: (fields: Fields) => void }>[] = [
  { dialect: 'rcds', name: /^rcds\.(?:ya?ml|toml)$/, read: readRcds },
  { dialect: 'kona', name: /^kona\.(?:ya?ml|toml)$/, read: readKona },
]

function findingsOf(tree: FileTree, file: string, read: (fields: Fields) => void): Finding[] {
  try {
    const source = readForeignFile(tree, file).find(({ value }) => typeof value === 'object' && value !== null)
    // A file that lists challenges is a descriptor, not a project file.
    if (source === undefined || 'challenges' in (source.value as object)) return []
    const findings: Finding[] = []
    read(new Fields(source, findings))
    return findings
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause
    return [{ file, line: cause.line, field: '', outcome: 'left-out', why: cause.message, advice: 'Correct the file.' }]
  }
}

/** Returns a map from dialect and folder to the first challenge of the dialect in or below the folder. */
function firstBelow(imported: readonly Imported[]): ReadonlyMap<string, Imported> {
  const first = new Map<string, Imported>()
  for (const each of imported)
    for (let folder = folderOf(each.file); ; folder = folderOf(folder)) {
      const key = `${each.dialect} ${folder}`
      if (first.has(key)) break
      first.set(key, each)
      if (folder === '') break
    }
  return first
}

export function addProjectFindings(tree: FileTree, imported: readonly Imported[]): Imported[] {
  const first = firstBelow(imported)
  const findingsByChallenge = new Map<Imported, Finding[]>()
  for (const file of tree.paths) {
    const project = projects.find(({ name }) => name.test(nameOf(file)))
    const teller = project && first.get(`${project.dialect} ${folderOf(file)}`)
    if (teller)
      findingsByChallenge.set(teller, [...(findingsByChallenge.get(teller) ?? []), ...findingsOf(tree, file, project.read)])
  }
  return imported.map((each) => ({ ...each, findings: [...each.findings, ...(findingsByChallenge.get(each) ?? [])] }))
}
