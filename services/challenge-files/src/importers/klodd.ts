import { ContainerDefaults, InputLimits } from '@capstan/contract/limits'
import { challengeApiVersion } from '../format/challenge.ts'
import { isRecord } from '../record.ts'
import type { Finding } from '../report.ts'
import { folderOf, nameOf } from '../tree.ts'
import { readYaml } from '../yaml.ts'
import type { Dialect } from './dialect.ts'
import { reportIgnoredObjects } from './documents.ts'
import { Fields } from './fields.ts'
import { nameFromTitle } from './names.ts'
import { isPort, readCategory, readLabels, reportGuessedPort } from './parts.ts'
import { readExposedPod } from './pods.ts'

/**
 * Reader for challenges of klodd, which starts instances for rCTF. A challenge is a Kubernetes object with pods, and one of the
 * pods is exposed.
 */

function isKlodd(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value.apiVersion === 'string' && value.apiVersion.startsWith('klodd.tjcsec.club/') && value.kind === 'Challenge'
}

export const klodd: Dialect = {
  name: 'klodd',
  recognizes: (_, value) => isKlodd(value),
  read: (tree, file) => {
    const sources = readYaml(tree, file, '1.1')
    const source = sources.find(({ value }) => isRecord(value) && isKlodd(value))
    if (source === undefined) throw new Error(`${file} contains no Challenge`)
    const findings = reportIgnoredObjects(sources.filter((other) => other !== source))
    const fields = new Fields(source, findings)
    fields.take('apiVersion')
    fields.take('kind')
    const metadata = fields.fields('metadata')
    const id = metadata?.text('name') ?? nameOf(folderOf(file))
    metadata?.leaveOut({ namespace: 'The platform defines the pod.', labels: 'The platform sets the labels.' })
    metadata?.rest()
    const spec = fields.fields('spec')
    const title = spec?.shortText('name', InputLimits.maxTitleLength) ?? id
    const expose = spec?.fields('expose')
    const exposed = expose?.text('pod')
    const kind = expose?.text('kind')
    const given = expose?.number('port')
    expose?.rest()
    const ports = new Set(isPort(given) ? [given] : [])
    const reportUnknown = () => expose?.note('pod', 'converted', 'No pod has this name, so the first pod is used.')
    const { port: own, ...pod } = spec === undefined ? {} : readExposedPod(spec, 'pods', { name: exposed, ports, reportUnknown })
    const port = isPort(given) ? given : (own ?? ContainerDefaults.port)
    if (given !== undefined && !isPort(given)) expose?.note('port', 'left-out', 'This must be a port from 1 to 65535.')
    if (!isPort(given) && own === undefined) reportGuessedPort(spec ?? fields, 'expose', port)
    spec?.leaveOut({
      timeout: 'The lifetime of instances is set for the whole platform.',
      middlewares: 'Requests are passed on unchanged.',
    })
    spec?.rest()
    fields.rest()
    const alone: Finding[] = []
    const unsaid = new Fields({ ...source, value: {} }, alone)
    const { category, tags } = readCategory(unsaid, 'category', nameOf(folderOf(folderOf(file))) || undefined)
    unsaid.note(
      'flags',
      'left-out',
      'The flag and the description are in another file.',
      'Add `flags` and `description` before you enable it.',
    )
    unsaid.note('score', 'converted', 'The file has no points, so the platform default applies.', 'Set `score`.')
    return {
      findings,
      alone,
      challenge: {
        apiVersion: challengeApiVersion,
        kind: 'Challenge',
        name: nameFromTitle(id),
        title,
        category,
        ...readLabels(unsaid, tags),
        description: '',
        flags: [],
        ...(pod.image === undefined
          ? {}
          : { container: { ...pod, ports: [{ port, speaks: kind === 'http' ? 'http' : 'tcp' }] } }),
      },
    }
  },
}
