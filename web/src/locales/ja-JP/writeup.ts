/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: 'チームがどう問題を解いたかを 1 つの PDF にまとめてください。メンバーなら誰でも提出でき、新しいファイルは古いものを置き換えます。',
    instructions: '運営からの指示',
    submitted: '提出済み',
    missing: '未提出',
    file: 'ファイル',
    deadline: '期限',
    left: '後に締切',
    deadlineUnknown: '運営が定めます。遅れたファイルは受け付けません。',
    over: '提出期限を過ぎています',
    overMissing: 'Writeup は提出されませんでした。まだ必要か運営に問い合わせてください。',
    drop: 'PDF をここにドロップするか、選んでください',
    replace: '置き換える PDF をここにドロップするか、選んでください',
    hint: '20 MB 未満の PDF 1 つ',
    unfit: 'ファイルを読み込めませんでした。形式とサイズを確認してください',
    sending: '{{name}} をアップロード中',
    cancel: 'キャンセル',
    done: 'Writeup を提出しました',
    failed: 'Writeup の状態を読み込めませんでした',
  },
} as const
