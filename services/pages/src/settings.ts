import { connectionsPerAddress, trustedProxies } from '@capstan/http/client'
import { apiUrl, internalToken, leaving, listening, logLevel, tracing } from '@capstan/settings/common'
import { httpUrl, text } from '@capstan/settings/kinds'
import { optional, required, type SettingGroups, withDefault } from '@capstan/settings/setting'

/** Environment variables of the web process. The variables of a group are read together. */
export const pagesSettings = {
  process: {
    ...listening,
    logLevel,
    trustedProxies,
    connectionsPerAddress,
    apiUrl,
    gatewayUrl: required('CAPSTAN_GATEWAY_URL', httpUrl('http://capstan-gateway:8080'), 'address of the gateway'),
    internalToken,
    folder: withDefault(
      'CAPSTAN_WEB_FOLDER',
      text('the path of a folder', '/app/web/dist-web'),
      'web/dist-web',
      'folder with the built web client',
    ),
    repositoryUrl: optional(
      'CAPSTAN_REPOSITORY_URL',
      httpUrl('https://git.example.org/ctf/capstan'),
      'repository with the source of this platform, for links to source, issues and translations; the image sets the default, and the admin settings override it',
    ),
    ...leaving,
  },
  tracing,
} satisfies SettingGroups
