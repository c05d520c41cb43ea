# Operations of a step by part, counted in C that `taut compile` wrote: what stands before the rounds of an iteration, in one
# round, and in the matrix of an iteration that keeps it. Sums with what rounding leaves over, the measure of corrections and
# tests come on top. Long steps are several functions, and the parts are theirs:
#     taut compile models/double-spherical-pendulum.lua -m rattle -o step.c && awk -f tools/operations.awk step.c
/^TAUT_PIECE/ { part=$2; sub(/\(.*/,"",part); sub(/^[^_]*_/,"",part); sub(/_[0-9]*$/,"",part); loop=""; on=part!="setup" }
/^    \/\* [a-z]/ { part=$0; sub(/^ *\/\* /,"",part); sub(/ \*\/$/,"",part); loop=" / begin"; on=1 }
/for \(int round/ { loop=" / round" }
/if \(factor\)/ { loop=" / matrix" }
/^        }$/ { if(loop==" / matrix") loop=" / round" }
/^    }$/ { loop=" / begin" }
/^}/ { on=0 }
on && /^ *(const number )?v(\[[0-9]+\]|[0-9]+) = / {
  s=$0; sub(/^[^=]*= /,"",s); gsub(/\(-0x/,"(0x",s); gsub(/p-/,"p",s); gsub(/p\+/,"p",s)
  mul=gsub(/ \* /,"",s); add=gsub(/ [+-] /,"",s); div=gsub(/ \/ /,"",s); neg=(s ~ /^-/); fm=gsub(/_fma\(/,"",s); ab=gsub(/fabs/,"",s); mx=gsub(/ > /,"",s); pw=gsub(/powi/,"",s)
  if(!(mul+pw+add+fm+div+neg+ab+mx)) next
  k=part loop; if(!(k in seen)){seen[k]=1; order[++n]=k}
  M[k]+=mul+pw; A[k]+=add; F[k]+=fm; D[k]+=div; N[k]+=neg; B[k]+=ab; X[k]+=mx
}
END { printf "%-40s %5s %5s %5s %5s %5s %5s %5s\n","part","mul","add","fma","div","neg","abs","max"; for(i=1;i<=n;i++){k=order[i]; printf "%-40s %5d %5d %5d %5d %5d %5d %5d = %d\n",k,M[k],A[k],F[k],D[k],N[k],B[k],X[k],M[k]+A[k]+F[k]+D[k]+N[k]+B[k]+X[k]; tm+=M[k];ta+=A[k];tf+=F[k];td+=D[k];tn+=N[k];tb+=B[k];tx+=X[k]} printf "%-40s %5d %5d %5d %5d %5d %5d %5d = %d\n","all",tm,ta,tf,td,tn,tb,tx,tm+ta+tf+td+tn+tb+tx }
