import styles from './display.module.css'

interface SkeletonProps {
  /** CSS lengths. */
  readonly width?: string
  readonly height?: string
  readonly round?: boolean
}

/** A bar in the place of text that is being loaded. */
export const Skeleton = ({ width = '100%', height = '1em', round }: SkeletonProps) => (
  <span
    className={styles.skeleton}
    style={{ inlineSize: width, blockSize: height, ...(round && { borderRadius: '50%' }) }}
    aria-hidden
    data-skeleton
  />
)

/** Lines of text. */
export const SkeletonLines = ({ count = 3 }: { readonly count?: number }) => (
  <div className="stack gap-2" aria-hidden>
    {Array.from({ length: count }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity
      <Skeleton key={index} width={index === count - 1 ? '62%' : '100%'} height="14px" />
    ))}
  </div>
)
