import styles from './display.module.css'

type SkeletonProps = Readonly<{
  /** Width and height as CSS lengths. */
  width?: string
  height?: string
  round?: boolean
}>

export function Skeleton({ width = '100%', height = '1em', round }: SkeletonProps) {
  return (
    <span
      className={styles.skeleton}
      style={{ inlineSize: width, blockSize: height, ...(round && { borderRadius: '50%' }) }}
      aria-hidden
      data-skeleton
    />
  )
}

export function SkeletonLines({ count = 3 }: { readonly count?: number }) {
  return (
    <div className="stack gap-2" aria-hidden>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity
        <Skeleton key={index} width={index === count - 1 ? '62%' : '100%'} height="14px" />
      ))}
    </div>
  )
}
