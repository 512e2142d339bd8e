/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: '用一个 PDF 说明你的队伍如何解出题目。任何队员都可以提交，新文件会替换旧文件。',
    instructions: '主办方的要求',
    submitted: '已提交',
    missing: '尚未提交',
    file: '文件',
    deadline: '截止时间',
    left: '后截止',
    deadlineUnknown: '由主办方设定，逾期的文件会被拒绝。',
    over: '提交已截止',
    overMissing: '没有提交 writeup。如仍需提交，请咨询主办方。',
    drop: '将 PDF 拖到此处或点击选择',
    replace: '将新的 PDF 拖到此处以替换，或点击选择',
    hint: '一个小于 20 MB 的 PDF',
    unfit: '文件加载失败，请检查文件格式和大小',
    sending: '正在上传 {{name}}',
    cancel: '取消',
    done: 'Writeup 已提交',
    failed: '无法加载 writeup 的状态',
  },
} as const
