import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { containersOf } from '@capstan/challenge-files/format/challenge'
import { findBuilder, isBuildToolName } from '../build/builders.ts'
import { createImageLock, imageNameOf, lockFileName, sourcesDigestOf } from '../build/image-lock.ts'
import { resolvePathInFolder } from '../resolve/text.ts'
import { type Command, exitCodes, UsageError } from './command.ts'
import { environmentForAuthorCommands, loadValidFolder, parseFolderArgument } from './prepare.ts'

export const buildCommand: Command = {
  usage: 'capstan build [--registry REGISTRY] [--tool docker|podman|nerdctl|buildctl] [--again] [--only PATTERN]… [FOLDER]',
  summary: `Builds the images of challenges whose files have changed, pushes them to the registry, and records their digests in ${lockFileName}.`,
  run: async (args, context) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        registry: { type: 'string' },
        tool: { type: 'string' },
        again: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
      },
    })
    const { registry, tool: wanted } = values
    if (wanted !== undefined && !isBuildToolName(wanted))
      throw new UsageError('--tool must be docker, podman, nerdctl or buildctl.')
    if (registry !== undefined && !/^[a-z0-9][a-z0-9._:/-]*[a-z0-9]$/.test(registry))
      throw new UsageError('--registry must be a registry such as registry.example.org/ctf.')
    const folder = loadValidFolder(parseFolderArgument(positionals), context, values.only)
    if (!folder) return exitCodes.refused
    const lock = createImageLock(folder)
    const prefix = `${registry ?? 'capstan'}/`
    const stale = folder.challenges.flatMap((loaded) =>
      containersOf(loaded.challenge).flatMap(({ name, build }) =>
        build && (values.again || !lock.imageOf(loaded, name)?.startsWith(prefix))
          ? [{ loaded, container: name, rule: build }]
          : [],
      ),
    )
    if (stale.length === 0) {
      context.line('All images are up to date.')
      return exitCodes.done
    }
    const { tool, build } = await findBuilder(environmentForAuthorCommands(context), wanted)
    const failures: string[] = []
    for (const [index, { loaded, container, rule }] of stale.entries()) {
      const name = imageNameOf(loaded, container)
      context.progress?.(`[${index + 1}/${stale.length}] Building ${name} with ${tool}`)
      const inside = resolvePathInFolder(loaded.folder, rule.context)
      try {
        const image = await build({
          context: join(folder.tree.root, inside),
          dockerfile: join(folder.tree.root, inside, rule.dockerfile ?? 'Dockerfile'),
          target: rule.target,
          args: rule.args ?? {},
          reference: `${prefix}${name}:${sourcesDigestOf(folder, loaded, container).slice(0, 16)}`,
          push: registry !== undefined,
        })
        lock.note(loaded, container, image)
        context.progress?.('')
        context.line(`${name}: ${image}`)
      } catch (cause) {
        context.progress?.('')
        failures.push(`${loaded.file}: ${cause instanceof Error ? cause.message : String(cause)}`)
      }
    }
    for (const failure of failures) context.error(`not built: ${failure}`)
    if (failures.length + folder.unreadable.length > 0) return exitCodes.refused
    return exitCodes.done
  },
}
