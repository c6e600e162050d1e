export default function build () { return 1 }
