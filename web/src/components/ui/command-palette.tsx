import { Command as Cmdk } from 'cmdk'
import { Dialog as Radix } from 'radix-ui'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Command, useCommandStore } from '../../stores/commands.ts'
import { cx } from './cx.ts'
import styles from './overlay.module.css'
import { useReturnFocus } from './use-return-focus.ts'

/**
 * Rates how well a command matches the entered words. 2: the name begins with the first word. 1: every word is in the name or a
 * keyword. 0: no match.
 */
function matches(value: string, search: string, keywords: readonly string[] = []): number {
  const name = value.toLocaleLowerCase()
  const text = [name, ...keywords].join(' ').toLocaleLowerCase()
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (!words.every((word) => text.includes(word))) return 0
  return name.startsWith(words[0] ?? '') ? 2 : 1
}

/** Search dialog for all commands of the page. It loads when it is first opened. */
export function CommandPalette() {
  const { t } = useTranslation()
  const focus = useReturnFocus()
  const sources = useCommandStore((state) => state.sources)
  const openPalette = useCommandStore((state) => state.openPalette)
  const input = useRef<HTMLInputElement>(null)
  const [search, setSearch] = useState('')
  // Start with the text that the user typed before the command palette was visible.
  useLayoutEffect(() => setSearch(useCommandStore.getState().typedAhead), [])
  const commands = Object.values(sources).flat()
  const groups = [...Map.groupBy(commands, (command) => command.group)]
  const run = (command: Command) => {
    openPalette(false)
    command.run()
  }
  return (
    <Radix.Root open onOpenChange={openPalette}>
      <Radix.Portal>
        <Radix.Overlay className={styles.scrim} />
        <Radix.Content
          className={cx(styles.dialog, styles.palette)}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            focus.remember()
            // By default the browser would select the entered text, and the next letter would replace it.
            event.preventDefault()
            input.current?.focus()
          }}
          onCloseAutoFocus={focus.giveBack}
        >
          <Radix.Title className="visually-hidden">{t('palette.title')}</Radix.Title>
          <Cmdk loop label={t('palette.title')} filter={matches}>
            <Cmdk.Input
              ref={input}
              className={styles.paletteInput}
              value={search}
              onValueChange={setSearch}
              placeholder={t('palette.placeholder')}
            />
            <Cmdk.List className={styles.paletteList}>
              <Cmdk.Empty className={cx('muted', styles.paletteEmpty)}>{t('palette.empty')}</Cmdk.Empty>
              {groups.map(([group, members]) => (
                <Cmdk.Group key={group} heading={group}>
                  {members.map((command) => (
                    <Cmdk.Item
                      key={command.id}
                      value={`${command.label} ${command.id}`}
                      keywords={[...(command.keywords ?? []), group]}
                      onSelect={() => run(command)}
                      className={styles.item}
                    >
                      <bdi className="truncate">{command.label}</bdi>
                      {command.note && <span className={cx('end faint tiny', styles.itemEnd)}>{command.note}</span>}
                      {command.shortcut && (
                        <span className={cx('end faint tiny', styles.itemEnd)}>
                          {command.shortcut.split(' ').map((key) => (
                            <kbd key={key}>{key}</kbd>
                          ))}
                        </span>
                      )}
                    </Cmdk.Item>
                  ))}
                </Cmdk.Group>
              ))}
            </Cmdk.List>
          </Cmdk>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
