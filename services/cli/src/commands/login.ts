import { parseArgs } from 'node:util'
import { ownOperations } from '@capstan/contract/operations'
import { connectWithLogin, saveLogin, toPlatformOrigin, warningForPlainHttp } from '../connection.ts'
import { type Command, exitCodes, UsageError } from './command.ts'

const tokenForm = /^[\w-]+\.[\w-]+$/

export const loginCommand: Command = {
  usage: 'capstan login [--url ADDRESS] [--token TOKEN | --token-stdin]',
  summary:
    'Verifies the address of a platform and an API token, and stores them for the other commands. In CI, set CAPSTAN_URL and CAPSTAN_TOKEN instead.',
  run: async (args, context) => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string' },
        token: { type: 'string' },
        'token-stdin': { type: 'boolean', default: false },
      },
    })
    const { environment = {} } = context
    const url = values.url ?? environment.CAPSTAN_URL ?? (await context.ask?.('Address of the platform:', false))
    if (!url) throw new UsageError('Use --url to specify the platform.')
    const given = values['token-stdin'] ? await context.readInput?.() : (values.token ?? environment.CAPSTAN_TOKEN)
    const token = (given ?? (await context.ask?.('API token (Administration → API tokens):', true)))?.trim()
    if (!token) throw new UsageError('Use --token-stdin to pass an API token.')
    if (!tokenForm.test(token)) throw new Error('This is not an API token.')
    const connection = { url: toPlatformOrigin(url), token }
    const warning = warningForPlainHttp(connection.url)
    if (warning !== undefined) context.error(warning)
    const { name, scope, gameId } = await connectWithLogin(context, connection).call(ownOperations.getEditGrant)
    const file = saveLogin(environment, connection)
    context.line(
      `Logged in to ${connection.url} with the token "${name}": ${scope}, ${gameId === null ? 'all games' : `game ${gameId}`}.`,
    )
    context.line(`The login is stored in ${file}.`)
    return exitCodes.done
  },
}
