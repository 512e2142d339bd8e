import { Suspense, useEffect, useLayoutEffect } from 'react'
import { i18n } from '../../lib/i18n.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { typeAhead } from '../../lib/type-ahead.ts'
import { useCommandStore } from '../../stores/commands.ts'
import { usePreferenceDialogs } from '../../stores/preference-dialogs.ts'
import { createLazyComponent } from '../ui/late.tsx'

const CommandPalette = createLazyComponent({
  load: () => import('./global-palette.tsx').then((file) => file.GlobalCommandPalette),
  Fallback: PaletteComing,
})
const ShortcutHelp = createLazyComponent({
  load: () => import('../ui/shortcut-help.tsx').then((file) => file.ShortcutHelpDialog),
})
const PreferenceDialogs = createLazyComponent({
  load: () => import('./preference-dialogs.tsx').then((file) => file.PreferenceDialogs),
})

/** Shortcuts that work on every page, and the dialogs that they open. */
export function GlobalCommands() {
  const paletteOpen = useCommandStore((state) => state.paletteOpen)
  const helpOpen = useCommandStore((state) => state.helpOpen)
  const openPalette = useCommandStore((state) => state.openPalette)
  const openHelp = useCommandStore((state) => state.openHelp)
  const preference = usePreferenceDialogs((state) => state.shown)

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      openPalette(!useCommandStore.getState().paletteOpen)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [openPalette])

  useShortcuts({ '?': () => openHelp(true), '/': focusSearch })

  return (
    <Suspense>
      {paletteOpen && <CommandPalette />}
      {helpOpen && <ShortcutHelp />}
      {preference !== null && <PreferenceDialogs />}
    </Suspense>
  )
}

function isPageLoading() {
  return document.querySelector('main [data-skeleton]') !== null
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main [data-search]')
  if (field) field.focus()
  else if (isPageLoading()) typeAhead.expect('search', i18n.t('typedAhead'), { isEager: true, isPending: isPageLoading })
}

/** Collects the keys that the user types before the palette has loaded. No key is lost, and no key triggers a shortcut. */
function PaletteComing() {
  const typeAhead = useCommandStore((state) => state.typeAhead)
  const openPalette = useCommandStore((state) => state.openPalette)
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Escape') openPalette(false)
      else if ([...event.key].length === 1) typeAhead(event.key)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener('keydown', listen, { capture: true })
    return () => removeEventListener('keydown', listen, { capture: true })
  }, [typeAhead, openPalette])
  return null
}
