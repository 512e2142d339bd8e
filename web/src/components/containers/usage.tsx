import type { ContainerUsage } from '@capstan/contract/admin'
import { formatNumber } from '../../lib/format.ts'
import { cx } from '../ui/cx.ts'
import { ShareBar } from '../ui/share-bar.tsx'
import styles from './usage.module.css'

const bytesPerMb = 1024 * 1024

export function formatCores(millicores: number, digits: number) {
  return formatNumber(millicores / 1000, { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function formatMb(bytes: number, options?: Intl.NumberFormatOptions) {
  return formatNumber(bytes / bytesPerMb, { maximumFractionDigits: 0, ...options })
}

/** Options for `formatMb` that add the unit MB to the number. */
export const withMb: Intl.NumberFormatOptions = { style: 'unit', unit: 'megabyte', unitDisplay: 'short' }

/** Returns the color for a share of the limit: a warning from 80 percent, and an alarm from 95 percent. */
function toneOf(share: number) {
  return share >= 0.95 ? 'bad' : share >= 0.8 ? 'warn' : undefined
}

type UsageBarProps = Readonly<{
  used: number
  limit: number
  text: string
  className?: string | undefined
}>

/** Text of a measured usage, above a bar that shows the used share of the limit. */
export function UsageBar({ used, limit, text, className }: UsageBarProps) {
  const share = limit > 0 ? used / limit : 0
  return (
    <span className={cx(styles.usage, className)} data-tone={toneOf(share)}>
      <span className="number">{text}</span>
      <ShareBar share={share} />
    </span>
  )
}

type UsageTexts = Readonly<{
  cpu: (used: string, limit: string) => string
  memory: (used: string, limit: string) => string
}>

/** CPU and memory usage of a container, each with its limit. */
export function ContainerUsageBars({ usage, texts }: Readonly<{ usage: ContainerUsage; texts: UsageTexts }>) {
  const { cpuMillicores, cpuLimitMillicores, memoryBytes, memoryLimitBytes } = usage
  return (
    <span className={cx('stack gap-1 small', styles.bars)}>
      <UsageBar
        used={cpuMillicores}
        limit={cpuLimitMillicores}
        text={texts.cpu(formatCores(cpuMillicores, 2), formatCores(cpuLimitMillicores, 1))}
      />
      <UsageBar
        used={memoryBytes}
        limit={memoryLimitBytes}
        text={texts.memory(formatMb(memoryBytes), formatMb(memoryLimitBytes, withMb))}
      />
    </span>
  )
}
