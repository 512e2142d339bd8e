import { useTranslation } from 'react-i18next'
import { useCommandStore } from '../../stores/commands.ts'
import { Dialog } from './dialog.tsx'
import styles from './overlay.module.css'

/** Dialog with every shortcut of the page. The key `?` opens it. */
export function ShortcutHelpDialog() {
  const { t } = useTranslation()
  const open = useCommandStore((state) => state.helpOpen)
  const openHelp = useCommandStore((state) => state.openHelp)
  const sources = useCommandStore((state) => state.sources)
  const general = [
    { keys: ['Ctrl', 'K'], label: t('shortcut.palette') },
    { keys: ['/'], label: t('shortcut.search') },
    { keys: ['j', 'k'], label: t('shortcut.move') },
    { keys: ['Enter'], label: t('shortcut.open') },
    { keys: ['?'], label: t('shortcut.help') },
  ]
  const offered = Object.values(sources)
    .flat()
    .flatMap((command) => (command.shortcut ? [{ keys: command.shortcut.split(' '), label: command.label }] : []))
  return (
    <Dialog open={open} onOpenChange={openHelp} title={t('shortcut.title')}>
      <dl className={styles.shortcuts}>
        {[...general, ...offered].map(({ keys, label }) => (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd className="line gap-1 end">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
