export default {
  paused: '已暫停',
  pause: '暫停',
  resume: '繼續',
  resumeWith_other: '繼續，{{number}} 則新內容',
  older: '第 {{from}} 至 {{to}} 則',
  newest: '回到最新',
} as const
