import { type createBrowserRouter, matchPath, type RouterState } from 'react-router'
import { i18n } from '../lib/i18n.ts'
import { registerOpeningView } from '../lib/opening.ts'
import { paths } from '../lib/paths.ts'
import { hasPointingDevice, keyOfFlagDraft, typeAhead } from '../lib/type-ahead.ts'

type Router = Pick<ReturnType<typeof createBrowserRouter>, 'state' | 'subscribe'>

export function followNavigation(router: Router): void {
  let endOpening: (() => void) | undefined
  let opened: string | undefined
  const follow = ({ navigation, location }: RouterState) => {
    if (navigation.state === 'idle') {
      endOpening?.()
      endOpening = undefined
    } else endOpening ??= registerOpeningView()
    const { pathname } = navigation.location ?? location
    const id = matchPath(paths.challenges.pattern, pathname)?.params.chalId
    if (id === opened) return
    opened = id
    if (id === undefined) typeAhead.cancel()
    else typeAhead.expect(keyOfFlagDraft(id), i18n.t('typedAhead'), { isEager: hasPointingDevice() })
  }
  typeAhead.listen()
  router.subscribe(follow)
  follow(router.state)
}
