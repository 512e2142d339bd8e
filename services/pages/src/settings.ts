import { trustedProxies } from '@capstan/http/client'
import { apiUrl, internalToken, leaving, listening, logLevel, tracing } from '@capstan/settings/common'
import { httpUrl, text } from '@capstan/settings/kinds'
import { optional, required, type SettingGroups, withDefault } from '@capstan/settings/setting'

/** Every variable of the web process. Those of a group are read together. */
export const pagesSettings = {
  process: {
    ...listening,
    logLevel,
    trustedProxies,
    apiUrl,
    gatewayUrl: required('CAPSTAN_GATEWAY_URL', httpUrl('http://capstan-gateway:8080'), 'where the gateway is'),
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
      'where the source of this platform is, for links to it, to reports of problems and to translations; instead of what the image was built with; an admin can name another in the settings',
    ),
    ...leaving,
  },
  tracing,
} satisfies SettingGroups
