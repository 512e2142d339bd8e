import type { ReactNode } from 'react'
import { CapstanLogo } from '../../components/mark.tsx'
import { cx } from '../../components/ui/cx.ts'
import { useConfig, usePageTitle } from '../../lib/config.ts'
import styles from './account.module.css'

type SheetProps = Readonly<{
  title: string
  children: ReactNode
  other?: ReactNode
}>

/** Layout of the account pages: one narrow column. */
export function AccountLayout({ title, children, other }: SheetProps) {
  const { title: platform, logoUrl } = useConfig()
  usePageTitle(title)
  return (
    <div className={styles.sheet}>
      <div className={cx('line gap-3', styles.brand)}>
        {logoUrl ? <img src={logoUrl} alt="" height={32} /> : <CapstanLogo size={32} />}
        <span>{platform}</span>
      </div>
      <h1 className="size-32 below-6">{title}</h1>
      {children}
      {other && <p className="muted ruled above-6">{other}</p>}
    </div>
  )
}
