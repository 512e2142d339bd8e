import { Challenge } from '@capstan/contract/challenge'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { definitionFieldNames } from './challenge-fields.ts'

type Path = readonly string[]

/** Members of `score` and `attempts` in `capstan.yaml`, by the name of the field. All other fields have their own names there. */
const groupedPaths: Readonly<Record<string, readonly [group: 'score' | 'attempts', name: string]>> = {
  points: ['score', 'points'],
  minimumShare: ['score', 'minimumShare'],
  decay: ['score', 'difficulty'],
  curve: ['score', 'curve'],
  isValueFixed: ['score', 'fixed'],
  submissionLimit: ['attempts', 'limit'],
  cooldownSeconds: ['attempts', 'cooldownSeconds'],
}

/** Returns the name of a field of a challenge or game in its file. */
export function fieldNameInFile({ field }: Readonly<{ field: string }>): string {
  return (Object.hasOwn(groupedPaths, field) ? groupedPaths[field] : undefined)?.join('.') ?? field
}

/** Returns the paths to write for a field of a group. `score` needs its points, and an empty `attempts` is removed. */
function pathsToWrite(path: readonly [group: 'score' | 'attempts', name: string]): readonly Path[] {
  return path[0] === 'score' ? [['score', 'points'], path] : [path, ['attempts']]
}

function pathsByField(fields: readonly string[], pathOf: (field: string) => Path): Record<string, readonly Path[]> {
  return Object.fromEntries(fields.map((field) => [field, [pathOf(field)]]))
}

const { description: _, type: __, ...fields } = Challenge.properties

/** Paths in `capstan.yaml` to write if a field of a challenge has changed. The description may be in a separate file. */
export const challengePaths: Readonly<Record<string, readonly Path[]>> = {
  ...pathsByField([...Object.keys(defaultContainer), ...definitionFieldNames], (field) => ['container', field]),
  ...pathsByField(Object.keys(fields), (field) => [field]),
  ...Object.fromEntries(Object.entries(groupedPaths).map(([field, path]) => [field, pathsToWrite(path)])),
  flags: [['flags'], ['type']],
  template: [['flags'], ['type']],
  attachment: [['attachments']],
  image: [
    ['container', 'image'],
    ['container', 'build'],
  ],
  port: [['container', 'ports']],
  reach: [['container', 'ports']],
  cpuTenths: [['container', 'cpu']],
  furtherPorts: [['container', 'ports']],
  offeredPorts: [['container', 'ports']],
  secrets: [['container', 'environment']],
  flagPlaces: [['container', 'flag']],
  containers: [['container'], ['containers']],
}
